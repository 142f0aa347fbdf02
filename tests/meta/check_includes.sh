#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may include whom (docs/ARCHITECTURE.md), as two tables: our own folders, and the homes of third-party headers.
# Usage: check_includes.sh ROOT    prints every include that is not allowed; exit code 1 when there is one
set -euo pipefail
cd "${1:?usage: check_includes.sh ROOT}"

# Folder, then what its files may include: the first part of "part/…", or the whole folder for a room of the coordinator.
# A file belongs to the longest folder that holds it. Headers beside the file (no slash in the name) are always allowed.
own='
lib/base               base
lib/model              base model
lib/net                base net
proto                  base model proto
analysis               base model analysis
agent                  base model net proto agent
deploy                 base model net deploy
cli                    base model net proto agent coordinator deploy cli
workloads
coordinator            base model net proto analysis deploy coordinator
coordinator/spec       base model coordinator/spec
coordinator/plan       base model analysis coordinator/plan
coordinator/lease      base model coordinator/lease
coordinator/session    base model net proto coordinator/session
coordinator/trial      base model coordinator/trial
coordinator/ingest     base model coordinator/ingest coordinator/store
coordinator/store      base model proto coordinator/store
coordinator/study      base model analysis coordinator/study coordinator/store
coordinator/confirm    base model analysis coordinator/confirm
coordinator/report     base model analysis proto coordinator/report coordinator/store coordinator/study coordinator/confirm coordinator/spec
coordinator/import     base model coordinator/import coordinator/store
coordinator/offline    base model analysis coordinator/offline coordinator/import coordinator/report coordinator/store
'
# Pattern of a header in <>, then the files that may use it.
foreign='
^openssl/              lib/base/digest.c lib/base/sign.c
^yaml\.h$              coordinator/spec/
^sqlite3\.h$           coordinator/store/backend/
^libpq                 coordinator/store/backend/
^gsl/                  analysis/
^protobuf-c/           proto/
^libssh                deploy/
^expat\.h$             coordinator/import/
^jansson\.h$           coordinator/coord coordinator/report/ coordinator/plan/ coordinator/import/format/ cli/
^(archive|archive_entry)\.h$  agent/ cli/
^(czmq|zmq)\.h$        lib/net/ agent/ coordinator/ cli/
'

folders=$(for folder in lib proto analysis agent coordinator cli deploy workloads; do
    [ ! -d "$folder" ] || echo "$folder"
done)

# Includes as "file:line:text", judged in one pass.
grep -rnE --include='*.[ch]' '^ *# *include *[<"]' $folders | OWN=$own FOREIGN=$foreign awk '
function complain(what, allowed) {
    printf "%s:%s: found an include of %s; allowed: %s\n", file, line, what, allowed
    found = 1
}
function begins_with_one(text, list, slash,    one, n, i) {
    n = split(list, one, " ")
    for (i = 1; i <= n; i++)
        if (index(text, one[i] slash) == 1)
            return 1
    return 0
}
function home_of(path) { # the longest folder of the table that holds it
    while (sub("/[^/]*$", "", path))
        if (path in own)
            return path
    return ""
}
function check_own(header,    beside, home) {
    if (header ~ /\.pb-c\.h$/) {
        if (file !~ /^proto\//)
            complain(header, "in proto/ only")
        return
    }
    if (header !~ /\//) {
        beside = file
        sub("[^/]*$", header, beside)
        if (system("test -e " beside) != 0)
            complain(header, "headers from a root, or beside the file")
        return
    }
    home = home_of(file)
    if (!begins_with_one(header, own[home], "/"))
        complain(header, own[home] == "" ? "nothing of ours" : own[home])
}
function check_foreign(header,    pattern) {
    for (pattern in homes)
        if (header ~ pattern && !begins_with_one(file, homes[pattern], ""))
            complain("<" header ">", "in " homes[pattern] " only")
}
function read_table(text, into,    rows, n, i, first) {
    n = split(text, rows, "\n")
    for (i = 1; i <= n; i++) {
        first = rows[i]
        sub(/ .*/, "", first)
        sub(/^[^ ]* */, "", rows[i])
        if (first != "")
            into[first] = rows[i]
    }
}
BEGIN {
    read_table(ENVIRON["OWN"], own)
    read_table(ENVIRON["FOREIGN"], homes)
}
{
    split($0, part, ":")
    file = part[1]
    line = part[2]
    header = $0
    is_own = header ~ /include *"/
    sub(/^[^<"]*[<"]/, "", header)
    sub(/[>"].*/, "", header)
    if (is_own)
        check_own(header)
    else
        check_foreign(header)
}
END { exit found }'
