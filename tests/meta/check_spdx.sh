#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every file in which a comment is possible says its licence in one of its first three lines.
# Usage: check_spdx.sh ROOT    prints the files that do not; exit code 1 when there is one
set -euo pipefail
cd "${1:?usage: check_spdx.sh ROOT}"

files() {
    if [ -e .git ]; then git ls-files; else find . -type f -not -path './build/*' | sed 's|^\./||'; fi
}
found=0
while IFS= read -r file; do
    case $file in
    LICENSE | *.json | *.csv | *.bin | *.hex | *.supp | *.jsonl) continue ;; # no comments, or only data
    tests/cases/* | */golden/* | */corpus/*) continue ;;                     # data, kept as it came
    esac
    [ -f "$file" ] || continue # deleted and not yet committed
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' && continue
    echo "$file: found no licence in its first three lines; allowed: SPDX-License-Identifier: GPL-3.0-or-later"
    found=1
done < <(files)
exit $found
