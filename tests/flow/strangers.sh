#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who has no key, an unknown one, another mechanism, another host's name or routing id, or a key of another role, gets nowhere
# with a real coordinator, which serves its own agents all the while. A removed host is refused from its next message on.
. "$(dirname "$0")/lib.sh"
: "${INTRUDER:?INTRUDER must name the helper}"

n1=$(make_key n1) n2=$(make_key n2)
start_coordinator --enroll "n1=$n1" --enroll "n2=$n2"
start_agent n1
wait_connected 1
agents=$(sed -n 's/^agents //p' "$WORK/data/endpoints")
users=$(sed -n 's/^users //p' "$WORK/data/endpoints")
key=$(sed -n 's/^key //p' "$WORK/data/endpoints")

attempt() { # WHAT WANTED-CODE HOW ENDPOINT NAME KEYFILE
    local code=0
    "$INTRUDER" "$3" "$4" "$key" "$6" "$5" >"$WORK/answer" 2>&1 || code=$?
    expect "$1" "$2" "$code ($(cat "$WORK/answer"))"
}
for at in "$agents" "$users"; do
    attempt "no key at $at" "0 ()" null "$at" n1 -
    attempt "PLAIN at $at" "0 ()" plain "$at" n1 -
    attempt "an unknown key at $at" "0 ()" unknown "$at" n1 -
done
named="refused: this key is enrolled for host \"n2\", not \"n1\": start the agent with that name or enrol a key of its own"
attempt "n2's key that says it is n1" "10 ($named)" curve "$agents" n1 "$WORK/n2.key"
attempt "n2's key with n1's routing id" "10 ($named)" routing "$agents" n1 "$WORK/n2.key"
attempt "an agent that asks what users ask" "0 ()" request "$users" n2 "$WORK/n2.key"
attempt "a user that says it is an agent" "0 ()" curve "$agents" n1 "$WORK/user.key"

# a viewer may look and not touch
viewer=$(make_key viewer)
kill -TERM "$COORDINATOR"
wait "$COORDINATOR" 2>/dev/null || true
start_coordinator --allow-user "$viewer:viewer"
wait_connected 1
MUSTER_KEY=$WORK/viewer.key "$MUSTER" host ls >/dev/null || fail "a viewer may not look"
if MUSTER_KEY=$WORK/viewer.key "$MUSTER" host drain n1 2>"$WORK/refusal"; then fail "a viewer may drain hosts"; fi
grep -q 'may not change a host' "$WORK/refusal" || fail "refusal: $(cat "$WORK/refusal")"

# enrolled while it runs, no restart; removed while connected: refused from the next message on
n3=$(make_key n3)
"$MUSTER" host add n3 "$n3" >/dev/null
start_agent n3
wait_connected 2
"$MUSTER" host rm n3 >/dev/null
wait_connected 1
attempt "the key of a removed host" "0 ()" curve "$agents" n3 "$WORK/n3.key"

# and the coordinator is as well as before
"$MUSTER" run --name after --hosts 'host == "n1"' -a true -b true --aa --max-blocks 10 >"$WORK/out.txt" 2>"$WORK/run.log" || fail "a run after all that: $(cat "$WORK/run.log")"
