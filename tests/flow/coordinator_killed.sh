#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of the coordinator at random moments of a run: each start goes on by itself, the run ends, what was taken is stored,
# nothing twice. KILLS: how often (default 20).
. "$(dirname "$0")/lib.sh"

RANDOM=${SEED:-7}
kills=${KILLS:-20}
hosts=(n1 n2)
enroll=()
for host in "${hosts[@]}"; do enroll+=(--enroll "$host=$(make_key "$host")"); done
start_coordinator "${enroll[@]}"
for host in "${hosts[@]}"; do start_agent "$host"; done
wait_connected 2

blocks=150
reference=$("$MUSTER" run --name long --min-blocks $blocks --max-blocks $blocks -v a='sleep 0.02' -v b='sleep 0.021' --detach)
expect "reference" long@1 "$reference"
done_now() { [ "$(run_state long@1)" = done ]; }
killed=0
for _ in $(seq "$kills"); do
    # the moment is the fault that is injected, not a wait for something
    sleep "0.$((RANDOM % 8))$((RANDOM % 10))"
    if done_now; then break; fi
    kill -KILL "$COORDINATOR"
    wait "$COORDINATOR" 2>/dev/null || true
    killed=$((killed + 1))
    start_coordinator
done
echo "killed $killed times"
[ "$killed" -ge $((kills / 2)) ] || fail "the run was over after $killed kills: make it longer"
wait_for 240 "the run to end by itself" done_now
no_sample_twice long
expect "samples stored" $((2 * 2 * blocks)) "$(samples long | grep -c .)"
for host in "${hosts[@]}"; do
    expect "samples of $host" $((2 * blocks)) "$(samples long | grep -c "^$host,")"
done
