#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three agents in three network namespaces with addresses of their own: one experiment to a verdict; one agent killed in the
# middle: the run ends partial with that host lost and everything else exact; restarted, it resumes.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v ip >/dev/null || skip "needs iproute2"

bridge=mstr$$
bridge=${bridge:0:12}
drop_network()
{
    for i in 1 2 3; do ip netns del "$bridge-$i" 2>/dev/null; done
    ip link del "$bridge" 2>/dev/null
    return 0
}
at_exit_hooks+=(drop_network)
ip link add "$bridge" type bridge 2>/dev/null || skip "no bridge can be made here"
ip addr add 10.213.77.1/24 dev "$bridge"
ip link set "$bridge" up
for i in 1 2 3; do
    ip netns add "$bridge-$i" || skip "no network namespace can be made here"
    ip link add "$bridge$i" type veth peer name eth0 netns "$bridge-$i"
    ip link set "$bridge$i" master "$bridge" up
    ip -n "$bridge-$i" addr add "10.213.77.1$i/24" dev eth0
    ip -n "$bridge-$i" link set eth0 up
    ip -n "$bridge-$i" link set lo up
done

enroll=()
for i in 1 2 3; do enroll+=(--enroll "n$i=$(make_key "n$i")"); done
AGENTS_AT='tcp://10.213.77.1:*'
start_coordinator "${enroll[@]}"
start_in_namespace() { AGENT_PREFIX="ip netns exec $bridge-$1" start_agent "n$1"; }
for i in 1 2 3; do start_in_namespace "$i"; done
wait_connected 3

set +e
"$MUSTER" run --name nap --max-blocks 20 -v short='sleep 0.01' -v long='sleep 0.03' --gate >"$WORK/out.txt" 2>"$WORK/run.log"
code=$?
set -e
expect "exit code of --gate" 3 "$code"
expect "samples stored" 60 "$(samples nap | grep -c .)"
no_sample_twice nap

# one agent is killed in the middle
blocks=40
"$MUSTER" run --name cut --min-blocks $blocks --max-blocks $blocks -v a='sleep 0.02' -v b='sleep 0.021' --detach >/dev/null
of_host() { samples cut 2>/dev/null | grep -c "^$1,"; }
some_of_n2() { [ "$(of_host n2)" -ge 8 ]; }
wait_for 60 "samples of n2" some_of_n2
kill -KILL "$AGENT_n2"
state_is() { [ "$(run_state cut@1)" = "$1" ]; }
wait_for 120 "the run to end partial" state_is partial
expect "samples of n1" $((2 * blocks)) "$(of_host n1)"
expect "samples of n3" $((2 * blocks)) "$(of_host n3)"
no_sample_twice cut
"$MUSTER" explain cut --json | tr -d '\n' | grep -q 'n2: lost since' || fail "the report does not say that n2 was lost"
before=$(of_host n2)
[ "$before" -lt $((2 * blocks)) ] || fail "n2 was done before it was killed"

# restarted, it resumes
start_in_namespace 2
wait_connected 3
"$MUSTER" rerun cut --gate >"$WORK/rerun.txt" 2>>"$WORK/run.log" || code=$?
expect "state after rerun" done "$(run_state cut@1)"
for i in 1 2 3; do expect "samples of n$i" $((2 * blocks)) "$(of_host "n$i")"; done
no_sample_twice cut
