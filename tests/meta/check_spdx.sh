#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every file in which a comment is possible says its licence in one of its first three lines.
# Usage: check_spdx.sh ROOT    prints the files that do not; exit code 1 when there is one
set -euo pipefail
cd "${1:?usage: check_spdx.sh ROOT}"

files() {
    if [ -e .git ]; then git ls-files; else find . -type f -not -path './build/*' | sed 's|^\./||'; fi
}
# Left out: no comments possible, or data that is kept as it came. A tracked file may be deleted and not yet committed.
files | grep -vE '^LICENSE$|\.(json|jsonl|csv|bin|hex|supp)$|^tests/cases/|/golden/|/corpus/' |
    while IFS= read -r file; do
        [ ! -f "$file" ] || printf '%s\0' "$file"
    done | xargs -0 awk '
function judge() {
    if (name != "" && !said) {
        print name ": found no licence in its first three lines; allowed: SPDX-License-Identifier: GPL-3.0-or-later"
        missing = 1
    }
}
FNR == 1 { judge(); name = FILENAME; said = 0 }
FNR > 3 { nextfile }
/SPDX-License-Identifier: GPL-3.0-or-later/ { said = 1 }
END { judge(); exit missing }'
