"""The program: see the package."""

from __future__ import annotations

import argparse

from tools import golden


def main() -> int:
    """Make the record again or compare with it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.golden", description="The record of what the code does.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--only", metavar="PART", choices=golden.PARTS, help=f"one of {', '.join(golden.PARTS)}")
    options = parser.parse_args()
    results = [remake(part, options.check) for part in golden.PARTS if options.only in (None, part)]
    return 0 if all(results) else 1


def remake(part: str, check: bool) -> bool:
    """Print what changed in a part and store it; False if a witness disagrees, or if ``check`` finds a change."""
    old, new = golden.stored(part), dict[str, list[str]]()
    agreed = True
    for section in golden.sections(part):
        try:
            new[section] = golden.made(part, section)
        except AssertionError as error:
            agreed = False
            print(f"{part} [{section}]: {error}")
    names = list(dict.fromkeys([*new, *(old if agreed else ())]))
    changes = {name: golden.difference(old.get(name, []), new.get(name, [])) for name in names}
    for name, lines in changes.items():
        if lines:
            print(f"{part} [{name}]", *lines, sep="\n")
    changed = sum(map(bool, changes.values()))
    if not agreed:
        print(f"{part}: not written, because our results are not those of the witness")
    elif not check:
        golden.write(part, new)
    print(f"{part}: {len(new)} sections made, {changed} changed")
    return agreed and not (check and changed)


if __name__ == "__main__":
    raise SystemExit(main())
