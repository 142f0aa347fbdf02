#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# With no coordinator configured `muster run` embeds one with this machine as its only host, and leaves nothing running.
. "$(dirname "$0")/lib.sh"

export MUSTER_DATA=$WORK/local
"$MUSTER" run -a true -b true --aa --max-blocks 10 >"$WORK/out.txt" 2>"$WORK/run.log" || fail "muster run ended with $?: $(cat "$WORK/run.log")"
grep -q . "$WORK/out.txt" || fail "no report"
expect "samples stored" 20 "$(samples quick | grep -c .)"
expect "state of the run" done "$(run_state quick@1)"
no_sample_twice quick
left=$(ls "$XDG_RUNTIME_DIR")
expect "left in the runtime directory" "" "$left"
if pgrep -f "$WORK/local" >/dev/null; then fail "children are left: $(pgrep -af "$WORK/local")"; fi

# the same bits and command in both arms are an error unless --aa
set +e
"$MUSTER" run -a true -b true >"$WORK/out2.txt" 2>"$WORK/err2.txt"
code=$?
set -e
expect "exit code of equal arms" 2 "$code"
grep -q -- '--aa' "$WORK/err2.txt" || fail "the message does not name --aa: $(cat "$WORK/err2.txt")"
