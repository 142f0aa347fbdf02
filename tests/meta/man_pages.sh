#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every verb has a man page, and every option its --help lists stands in it.
# usage: man_pages.sh MUSTER MAN_FOLDER
set -u
muster=$1
folder=$2
failures=0
fail()
{
    echo "FAIL: $1"
    failures=$((failures + 1))
}
options()
{
    "$muster" "$@" --help 2>/dev/null | sed -n 's/^ *\(-.,\)\{0,1\} *\(--[a-z][a-z-]*\).*/\2/p' | sort -u
}
check()
{
    page=$1
    shift
    list=$(options "$@")
    [ -n "$list" ] || fail "muster $* --help lists nothing"
    for option in $list; do
        case $option in
            --help | --version) continue ;;
        esac
        grep -q -F -e "*$option*" "$page" || fail "$page does not say $option of muster $*"
    done
}
verbs=$("$muster" help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' | grep -v '^help$')
[ -n "$verbs" ] || fail "muster help lists no verbs"
for verb in $verbs; do
    page=$folder/muster-$verb.1.scd
    if [ ! -f "$page" ]; then
        fail "no man page of muster $verb"
    elif [ "$verb" = host ]; then
        for sub in ls show facts diff; do
            check "$page" host "$sub"
        done
    else
        check "$page" "$verb"
    fi
done
for page in "$folder"/muster-*.1.scd; do
    verb=$(basename "$page" .1.scd)
    verb=${verb#muster-}
    echo "$verbs" | grep -q -x "$verb" || fail "$page is of a verb that is not there"
done
[ "$failures" -eq 0 ]
