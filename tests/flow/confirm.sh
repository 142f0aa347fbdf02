#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A difference that hangs on a variable only one host sets is found on the pool, switched within both hosts, and attributed
# to the variable by randomisation; with nothing to settle, `confirm` says so.
. "$(dirname "$0")/lib.sh"

n1=$(make_key n1) n2=$(make_key n2)
start_coordinator --enroll "n1=$n1" --enroll "n2=$n2"
start_agent n1 --env SLOWDOWN=1
start_agent n2
wait_connected 2

# the candidate is slower only where SLOWDOWN is set
cat >"$WORK/nap.yaml" <<'YAML'
experiment: nap
variants:
  old: sh -c 'if [ -n "$SLOWDOWN" ]; then sleep 0.05; else sleep 0.05; fi'
  new: sh -c 'if [ -n "$SLOWDOWN" ]; then sleep 0.20; else sleep 0.05; fi'
min_effect: 50%
sampling: {blocks: {min: 10, max: 14}, warmup: 0}
YAML
"$MUSTER" run "$WORK/nap.yaml" --json >"$WORK/first.json" 2>"$WORK/run.log" || fail "the first run: $(cat "$WORK/run.log")"
grep -q '"outcome": *"regressed-on-some"' "$WORK/first.json" || fail "first outcome: $(grep outcome "$WORK/first.json")"

# shown, not run
"$MUSTER" confirm nap --dry-run >"$WORK/plan.yaml"
grep -q '^confirms: "nap@1"' "$WORK/plan.yaml" || fail "plan: $(cat "$WORK/plan.yaml")"
grep -q 'env.SLOWDOWN: \[1, "(unset)"\]' "$WORK/plan.yaml" || fail "plan: $(cat "$WORK/plan.yaml")"
grep -q 'SLOWDOWN: "${env.SLOWDOWN}"' "$WORK/plan.yaml" || fail "plan: $(cat "$WORK/plan.yaml")"
expect "runs after --dry-run" "" "$(run_state nap-confirm@1)"
"$MUSTER" run --dry-run "$WORK/plan.yaml" >"$WORK/plan.txt"
grep -q '2 of 2 hosts match' "$WORK/plan.txt" || fail "the plan is no experiment: $(cat "$WORK/plan.txt")"

# run: the switch works both ways, on both hosts
"$MUSTER" confirm nap >"$WORK/confirm.txt" 2>"$WORK/confirm.log" || fail "confirm: $(cat "$WORK/confirm.log")"
expect "state of the confirming run" done "$(run_state nap-confirm@1)"
no_sample_twice nap-confirm
tr '\n' ' ' <"$WORK/confirm.txt" | tr -s ' ' >"$WORK/line.txt"
grep -q 'Switching env.SLOWDOWN on these hosts makes the difference' "$WORK/line.txt" || fail "answer: $(cat "$WORK/confirm.txt")"
grep -q 'This run was made to settle nap@1' "$WORK/line.txt" || fail "answer: $(cat "$WORK/confirm.txt")"
grep -q '^nap@1:' "$WORK/confirm.txt" || fail "the old answer is missing: $(cat "$WORK/confirm.txt")"
"$MUSTER" explain nap-confirm --json >"$WORK/second.json"
tr -d ' \n' <"$WORK/second.json" >"$WORK/second.txt"
grep -q '"factors":\[{"factor":"env.SLOWDOWN"' "$WORK/second.txt" || fail "no factor: $(cat "$WORK/second.json")"
"$MUSTER" export nap-confirm >"$WORK/samples.csv"
for host in n1 n2; do
    for level in 1 '(unset)'; do
        [ "$(grep "^$host," "$WORK/samples.csv" | grep -cF ",$level")" -ge 20 ] || fail "samples of $host at $level: $(head -n 5 "$WORK/samples.csv")"
    done
done

# a user's switch; what cannot be switched is named
"$MUSTER" confirm nap --switch env.OTHER=2 --dry-run >"$WORK/other.yaml"
grep -q 'env.OTHER: \["(unset)", 2\]' "$WORK/other.yaml" || fail "--switch is not taken: $(cat "$WORK/other.yaml")"
set +e
"$MUSTER" confirm nap --switch cpu.vendor=AMD --dry-run 2>"$WORK/err.txt"
code=$?
set -e
expect "exit code of a switch that cannot be" 2 "$code"
grep -q 'cannot be switched' "$WORK/err.txt" || fail "message: $(cat "$WORK/err.txt")"

# nothing to do is no failure
"$MUSTER" run --name same -a 'sleep 0.05' -b 'sleep 0.050' --min-effect 50% --min-blocks 10 --max-blocks 10 >/dev/null 2>"$WORK/run.log"
"$MUSTER" confirm same >"$WORK/nothing.txt" 2>/dev/null || fail "confirm with nothing to do ended with $?"
grep -q 'same@1' "$WORK/nothing.txt" || fail "nothing to do: $(cat "$WORK/nothing.txt")"

# how output is taken, switched by the user: the candidate waits where stdout is a socket
cat >"$WORK/talk.yaml" <<'YAML'
experiment: talk
variants:
  old: sh -c 'if [ -S /dev/stdout ]; then sleep 0.05; else sleep 0.05; fi'
  new: sh -c 'if [ -S /dev/stdout ]; then sleep 0.20; else sleep 0.05; fi'
min_effect: 50%
sampling: {blocks: {min: 10, max: 14}, warmup: 0}
YAML
"$MUSTER" run "$WORK/talk.yaml" >/dev/null 2>"$WORK/run.log" || fail "the run of talk: $(cat "$WORK/run.log")"
"$MUSTER" confirm talk --switch sink=socketpair >"$WORK/talk.txt" 2>"$WORK/talk.log" || fail "confirm: $(cat "$WORK/talk.log")"
tr '\n' ' ' <"$WORK/talk.txt" | tr -s ' ' >"$WORK/line.txt"
grep -q 'Switching sink on these hosts makes the difference' "$WORK/line.txt" || fail "answer: $(cat "$WORK/talk.txt")"
