#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two agents on one machine, own processes and keys, run one experiment to a verdict.
. "$(dirname "$0")/lib.sh"

n1=$(make_key n1) n2=$(make_key n2)
start_coordinator --enroll "n1=$n1" --enroll "n2=$n2"
start_agent n1
start_agent n2
wait_connected 2

set +e
"$MUSTER" run --name nap --max-blocks 20 -v short='sleep 0.01' -v long='sleep 0.03' --gate --json >"$WORK/answer.json" 2>"$WORK/run.log"
code=$?
set -e
expect "exit code of --gate" 3 "$code"
grep -q '"outcome": *"regressed' "$WORK/answer.json" || fail "outcome is not regressed: $(head -c 600 "$WORK/answer.json")"
expect "state of the run" done "$(run_state nap@1)"
no_sample_twice nap
# both hosts stopped at the first look: ten blocks of two samples (warm-ups are kept apart)
expect "samples stored" 40 "$(samples nap | grep -c .)"

# the plan, and why a host does not match
"$MUSTER" run --dry-run --hosts 'host == "n1"' -a true -b false >"$WORK/plan.txt"
grep -q '1 of 2 hosts match' "$WORK/plan.txt" || fail "plan: $(cat "$WORK/plan.txt")"
grep -q 'n2  (' "$WORK/plan.txt" || fail "the plan does not say why n2 is left out"
