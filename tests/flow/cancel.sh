#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ^C of `muster run` cancels the run, exits with 130 and keeps what was measured; rerun goes on where it was.
. "$(dirname "$0")/lib.sh"

n1=$(make_key n1)
start_coordinator --enroll "n1=$n1"
start_agent n1
wait_connected 1

enough() { [ "$(samples nap 2>/dev/null | grep -c .)" -ge 6 ]; }
set -m # a process group of its own, as a terminal gives it
"$MUSTER" run --name nap --min-blocks 200 --max-blocks 200 -v a='sleep 0.05' -v b='sleep 0.05' --aa >"$WORK/out.txt" 2>"$WORK/run.log" &
run=$!
set +m
wait_for 60 "six samples" enough
kill -INT "$run"
set +e
wait "$run"
code=$?
set -e
expect "exit code after ^C" 130 "$code"
expect "state of the run" cancelled "$(run_state nap@1)"
kept=$(samples nap | grep -c .)
[ "$kept" -ge 6 ] || fail "samples kept: want 6 or more, got $kept"
no_sample_twice nap

expect "rerun" "nap@1" "$("$MUSTER" rerun nap --detach)"
more() { [ "$(samples nap | grep -c .)" -gt "$1" ]; }
wait_for 60 "more samples after rerun" more "$kept"
"$MUSTER" cancel nap | grep -q 'nap@1 cancelled' || fail "cancel says nothing of nap@1"
state_is() { [ "$(run_state nap@1)" = "$1" ]; }
wait_for 60 "the run to be cancelled" state_is cancelled
no_sample_twice nap
