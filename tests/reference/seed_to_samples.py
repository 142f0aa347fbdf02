#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the old reports' tables in tests/cases into files that `muster import` takes.

One host; `round` counts per variant; `position` runs on over the host in the order printed; seconds.
Usage: seed_to_samples.py [--check] [DIRECTORY]. With --check nothing is written: exit 1 when a file would change.
"""
import csv
import pathlib
import sys
from decimal import Decimal

# source, name of the outputs, host, facts, {column there: (column here, divisor)}
SETS = [
    ("seed1-test-open.csv", "seed1", "ticket", {"arch": "x86_64", "os.kind": "linux"},
     {"elapsed_us": ("elapsed_s", 6), "user_us": ("user_s", 6), "sys_us": ("sys_s", 6), "gc_us": ("gc_s", 6),
      "alloc_bytes": ("alloc_bytes", 0), "minflt": ("minflt", 0), "majflt": ("majflt", 0), "swaps": ("swaps", 0)}),
    ("seed1-reproductions.csv", "seed1-reproduction", "core2", {"cpu.model": "Core 2 Duo", "cpus": "2", "os.id": "fedora",
                                                               "os.version": "10"},
     {"elapsed_us": ("elapsed_s", 6), "user_us": ("user_s", 6), "sys_us": ("sys_s", 6), "gc_us": ("gc_s", 6),
      "alloc_bytes": ("alloc_bytes", 0), "minflt": ("minflt", 0), "majflt": ("majflt", 0), "swaps": ("swaps", 0)}),
    ("seed2-will-it-scale.csv", "seed2", "lkp", {"os.kind": "linux"}, {"per_thread_ops": ("per_thread_ops", 0)}),
]


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def scaled(text, digits):
    """Exact division by a power of ten: 257019 by 10^6 is 0.257019."""
    return str(Decimal(text).scaleb(-digits)) if digits else text


def samples_text(rows, host, columns):
    lines = [",".join(["host", "variant", "round", "position"] + [name for name, _ in columns.values()])]
    rounds = {}
    for position, row in enumerate(rows):
        variant = row["variant"]
        number = rounds.get(variant, 0)
        rounds[variant] = number + 1
        values = [scaled(row[column], digits) for column, (_, digits) in columns.items()]
        lines.append(",".join([host, variant, str(number), str(position)] + values))
    return "\n".join(lines) + "\n"


def hosts_text(host, facts):
    return ",".join(["host"] + list(facts)) + "\n" + ",".join([host] + list(facts.values())) + "\n"


def main(arguments):
    check = "--check" in arguments
    rest = [a for a in arguments if a != "--check"]
    cases = pathlib.Path(rest[0] if rest else pathlib.Path(__file__).resolve().parent.parent / "cases")
    changed = False
    for source, name, host, facts, columns in SETS:
        rows = read_rows(cases / source)
        for part, text in (("hosts", hosts_text(host, facts)), ("samples", samples_text(rows, host, columns))):
            path = cases / f"{name}-{part}.csv"
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            changed = True
            print(f"{path.name} {'differs' if check else 'written'}")
            if not check:
                path.write_text(text, encoding="utf-8")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
