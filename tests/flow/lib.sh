# SPDX-License-Identifier: GPL-3.0-or-later
# Helpers of the flow tests: the real binary, on sockets and directories of the test's own. Every wait polls a state until a
# deadline; whatever was started is ended and removed at exit.
# MUSTER: the binary under test (set by ctest).
set -euo pipefail
: "${MUSTER:?MUSTER must name the muster binary}"

WORK=$(mktemp -d "${TMPDIR:-/tmp}/muster-flow-XXXXXX")
PIDS=()
HEARTBEAT=${HEARTBEAT:-300ms}
GRACE=${GRACE:-3s}
export XDG_CONFIG_HOME=$WORK/config XDG_DATA_HOME=$WORK/xdg-data XDG_STATE_HOME=$WORK/xdg-state XDG_CACHE_HOME=$WORK/cache
export XDG_RUNTIME_DIR=$WORK/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset MUSTER_COORDINATOR MUSTER_SERVER_KEY MUSTER_KEY MUSTER_DATA
export TERM=dumb

at_exit_hooks=()
finish()
{
    local code=$? pid
    set +e
    for pid in "${PIDS[@]:-}"; do [ -n "$pid" ] && kill -TERM "$pid" 2>/dev/null; done
    for pid in "${PIDS[@]:-}"; do
        [ -n "$pid" ] || continue
        for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
        kill -KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    for hook in "${at_exit_hooks[@]:-}"; do [ -n "$hook" ] && "$hook"; done
    if grep -qsE 'Sanitizer|runtime error:' "$WORK"/*.log; then
        echo "FAIL: a sanitizer complains" >&2
        code=1
    fi
    if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then
        for log in "$WORK"/*.log; do [ -f "$log" ] && { echo "--- $log"; tail -n 40 "$log"; } >&2; done
    fi
    rm -rf "$WORK"
    exit "$code"
}
trap finish EXIT

fail() { echo "FAIL: $*" >&2; exit 1; }
skip() { echo "SKIP: $*" >&2; exit 77; }
expect() { # WHAT WANT GOT
    [ "$2" = "$3" ] || fail "$1: want $2, got $3"
}

# wait_for SECONDS WHAT COMMAND…: until the command succeeds.
wait_for()
{
    local seconds=$1 what=$2 end
    shift 2
    end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "waited $seconds s for: $what"
        sleep 0.1
    done
}

make_key() { "$MUSTER" keys --out "$WORK/$1.key"; } # NAME -> public key on stdout

# start_coordinator [OPTION]…: on sockets in $WORK (AGENTS_AT and USERS_AT override), user.key may do everything.
start_coordinator()
{
    local user
    user=$(make_key user)
    rm -f "$WORK/data/endpoints"
    "$MUSTER" coordinator --data-dir "$WORK/data" --agents "${AGENTS_AT:-ipc://$WORK/agents}" \
        --users "${USERS_AT:-ipc://$WORK/users}" --allow-user "$user" --heartbeat "$HEARTBEAT" \
        --lost-grace "$GRACE" "$@" >>"$WORK/coordinator.log" 2>&1 &
    COORDINATOR=$!
    PIDS+=("$COORDINATOR")
    export MUSTER_COORDINATOR=$WORK/data/endpoints MUSTER_KEY=$WORK/user.key
    wait_for 20 "the coordinator's endpoints" test -s "$WORK/data/endpoints"
}

# start_agent NAME [OPTION]…: enrolled before as NAME; AGENT_PREFIX may put it into a namespace.
start_agent()
{
    local name=$1
    shift
    # shellcheck disable=SC2086
    ${AGENT_PREFIX:-} "$MUSTER" agent --connect "$WORK/data/endpoints" --key "$WORK/$name.key" --name "$name" \
        --state-dir "$WORK/state-$name" --lock "${LOCK:-$WORK/lock}" "$@" >>"$WORK/agent-$name.log" 2>&1 &
    AGENT=$!
    PIDS+=("$AGENT")
    eval "AGENT_$name=$AGENT"
}

connected() { "$MUSTER" host ls --json | grep -c '"connected": *true' | grep -qx "$1"; }
wait_connected() { wait_for 30 "$1 agents connected" connected "$1"; }

# run_state NAME@NUMBER: the word in `ls`.
run_state()
{
    "$MUSTER" ls --json | tr -d ' \n' | grep -o "\"experiment\":\"${1%@*}\",\"run\":${1#*@},[^}]*" |
        grep -o '"state":"[a-z]*"' | head -n 1 | cut -d'"' -f4
}

# samples RUN: the data rows of the export, without header.
samples() { "$MUSTER" export "$1" | grep -v '^#' | tail -n +2; }

# accounting RUN: no sample twice: (host, session, round, position) is unique.
no_sample_twice()
{
    local twice
    twice=$("$MUSTER" export "$1" | grep -v '^#' | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { key = $at["host"] "," ("session" in at ? $at["session"] : 0) "," $at["round"] "," $at["position"]
          if (seen[key]++) print key }')
    [ -z "$twice" ] || fail "samples stored twice: $(echo "$twice" | head -n 3 | tr '\n' ' ')"
}
