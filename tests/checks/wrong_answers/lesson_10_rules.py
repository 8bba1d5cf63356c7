"""Wrong answers to the exercises of lesson 10: longest_rule."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

RULES = [
    Wrong(
        "10.longest_rule",
        "the first rule",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text[at:], start=1):
                node ^= byte
                if label(units[node]) != byte:
                    break
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    return (length, value(units[node]))
            return found
        """,
        hint="first-found",
    ),
    Wrong(
        "10.longest_rule",
        "nothing when it breaks off",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text[at:], start=1):
                node ^= byte
                if label(units[node]) != byte:
                    break
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    found = (length, value(units[node]))
                else:
                    found = None
            return found
        """,
        hint="only-at-the-break",
    ),
    Wrong(
        "10.longest_rule",
        "from the first byte",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text, start=1):
                node ^= byte
                if label(units[node]) != byte:
                    break
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    found = (length, value(units[node]))
            return found
        """,
        hint="from-the-start",
    ),
    Wrong(
        "10.longest_rule",
        "where it ends",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text[at:], start=1):
                node ^= byte
                if label(units[node]) != byte:
                    break
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    found = (at + length, value(units[node]))
            return found
        """,
        hint="end-for-length",
    ),
    Wrong(
        "10.longest_rule",
        "the value with its mark",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text[at:], start=1):
                node ^= byte
                if label(units[node]) != byte:
                    break
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    found = (length, units[node])
            return found
        """,
        hint="with-the-mark",
    ),
    Wrong(
        "10.longest_rule",
        "labels are not looked at",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text[at:], start=1):
                node ^= byte
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    found = (length, value(units[node]))
            return found
        """,
        hint="unchecked",
    ),
    Wrong(
        "10.longest_rule",
        "runs over the end",
        """
        def longest_rule(units, text, at):
            found, node, place = None, offset(units[0]), at
            while True:
                node ^= text[place]
                if label(units[node]) != text[place]:
                    return found
                unit = units[node]
                node ^= offset(unit)
                place += 1
                if ends_here(unit):
                    found = (place - at, value(units[node]))
        """,
        hint="runs-over-the-end",
    ),
]
