#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 1,000,000 samples over 100 hosts: import and explain as users do, seconds and peak memory of each. Needs /usr/bin/time.
set -eu
build=${MUSTER_BUILD:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MUSTER_DATA="$work/data" XDG_CONFIG_HOME="$work/config"
unset MUSTER_COORDINATOR
hosts=${1:-100} rounds=${2:-5000} runs=${3:-3}
"$build/bench/bench-make_csv" "$work" "$hosts" "$rounds"

measure() { # NAME COMMAND…: seconds and KiB on one line
    name=$1
    shift
    /usr/bin/time -f "%e %U %S %M" -o "$work/$name.time" "$@" >"$work/$name.out"
    echo "$name: $(cat "$work/$name.time") (wall s, user s, system s, peak KiB)"
}
i=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    measure "import$i" "$build/cli/muster" import --experiment "big$i" --hosts "$work/hosts.csv" --samples "$work/samples.csv"
    measure "explain$i" "$build/cli/muster" explain "big$i" --json
done
cat "$work"/import*.time | sort -n | awk '{ w[NR] = $1; if ($4 > m) m = $4 } END { print w[int((NR + 1) / 2)], m }' >"$work/import"
cat "$work"/explain*.time | sort -n | awk '{ w[NR] = $1; if ($4 > m) m = $4 } END { print w[int((NR + 1) / 2)], m }' >"$work/explain"
awk -v n="$runs" -v samples=$((hosts * rounds * 2)) 'NR == FNR { import = $1; im = $2; next }
    { printf "{\"bench\": \"import\", \"figures\": {\"import_s\": %.2f, \"explain_s\": %.2f, \"seconds\": %.2f, \"rss_mib\": %.0f, \"samples\": %d}, \"n\": %d, \"notes\": \"medians; peak of the larger process\"}\n",
             import, $1, import + $1, (im > $2 ? im : $2) / 1024, samples, n }' "$work/import" "$work/explain"
