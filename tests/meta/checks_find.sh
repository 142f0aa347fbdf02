#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The checks of this folder on a small tree: silent on a right one, and each wrong thing is found.
# Usage: checks_find.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{lib/base,lib/model,agent,proto,workloads,coordinator/spec,coordinator/store/backend,coordinator/study}
licence='/* SPDX-License-Identifier: GPL-3.0-or-later */'

put() { # file, line below the licence
    printf '%s\n%s\n' "$licence" "$2" >"$tree/$1"
}
fail() { echo "$1" >&2; exit 1; }
wants_silence() { # check
    got=$("$here/$1" "$tree") || fail "$1 on a right tree: $got"
}
wants_found() { # check, file, line of text put there; the file is removed again
    put "$2" "$3"
    if got=$("$here/$1" "$tree"); then fail "$1 does not find \"$3\" in $2"; fi
    grep -qF "$2" <<<"$got" || fail "$1 names another file than $2: $got"
    rm "$tree/$2"
}

put lib/base/err.h ''
put lib/base/digest.c '#include <openssl/evp.h>'
put lib/model/host.h '#include "base/err.h"'
put agent/main.c '#include "proto/wire.h"'
put proto/wire.c '#include "x.pb-c.h"'
put coordinator/main.c '#include "coordinator/study/study.h"'
put coordinator/study/study.c '#include "coordinator/store/store.h"'
put coordinator/store/backend/sqlite.c '#include <sqlite3.h>'
wants_silence check_includes.sh
wants_silence check_spdx.sh
wants_silence check_words.sh

wants_found check_includes.sh lib/base/a.c '#include "model/host.h"'
wants_found check_includes.sh lib/model/a.c '#include "proto/wire.h"'
wants_found check_includes.sh agent/a.c '#include "coordinator/coord.h"'
wants_found check_includes.sh agent/a.c '#include "analysis/judge.h"'
wants_found check_includes.sh coordinator/a.c '#include "agent/runner.h"'
wants_found check_includes.sh coordinator/spec/a.c '#include "coordinator/study/study.h"'
wants_found check_includes.sh coordinator/study/a.c '  #  include "coordinator/spec/spec.h"'
wants_found check_includes.sh coordinator/study/a.c '#include <yaml.h>'
wants_found check_includes.sh coordinator/store/a.c '#include <sqlite3.h>'
wants_found check_includes.sh lib/base/a.c '#include <openssl/sha.h>'
wants_found check_includes.sh agent/a.c '#include "frame.pb-c.h"'
wants_found check_includes.sh agent/a.c '#include "absent.h"'
wants_found check_includes.sh workloads/a.c '#include "base/str.h"'
wants_found check_words.sh lib/base/a.c "/* TO""DO */"
wants_found check_words.sh lib/base/a.c "// FIX""ME: later"
put lib/base/a.c "mkdtemp(\"/tmp/muster-XXXXXX\");"
wants_silence check_words.sh
echo 'int x;' >"$tree/lib/base/a.c"
if got=$("$here/check_spdx.sh" "$tree"); then fail "check_spdx.sh does not find a file without a licence"; fi
echo "every check finds what it is for"
