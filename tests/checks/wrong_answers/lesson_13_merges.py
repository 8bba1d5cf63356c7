"""Wrong answers to the exercises of lesson 13 about merges that go: new names for those that stay, and the order."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

MERGES = [
    Wrong(
        "13.drop_merges",
        "as it was handed out",
        """
        def drop_merges(merges, dropped):
            return [pair for place, pair in enumerate(merges) if 256 + place not in dropped]
        """,
        hint="untouched",
        state="not started",
    ),
    Wrong(
        "13.drop_merges",
        "everything moves by as many places as merges go",
        """
        def drop_merges(merges, dropped):
            kept = [pair for place, pair in enumerate(merges) if 256 + place not in dropped]
            by = len(dropped)
            return [tuple(half - by if half >= 256 else half for half in pair) for pair in kept]
        """,
        hint="all-alike",
    ),
    Wrong(
        "13.drop_merges",
        "bytes move, too",
        """
        def drop_merges(merges, dropped):
            def moved(half):
                return half - (len(dropped) if half < 256 else sum(gone < half for gone in dropped))

            kept = [pair for place, pair in enumerate(merges) if 256 + place not in dropped]
            return [(moved(left), moved(right)) for left, right in kept]
        """,
        hint="bytes-moved",
    ),
    Wrong(
        "13.drop_merges",
        "left halves only",
        """
        def drop_merges(merges, dropped):
            kept = [pair for place, pair in enumerate(merges) if 256 + place not in dropped]
            return [(left - sum(gone < left for gone in dropped), right) for left, right in kept]
        """,
        hint="left-only",
    ),
    Wrong(
        "13.drop_merges",
        "counts only what goes up to the first that is larger",
        """
        def drop_merges(merges, dropped):
            def moved(half):
                by = 0
                for gone in dropped:
                    if gone > half:
                        break
                    by += 1
                return half - by

            kept = [pair for place, pair in enumerate(merges) if 256 + place not in dropped]
            return [(moved(left), moved(right)) for left, right in kept]
        """,
        hint="",
    ),
    Wrong(
        "13.pruning_order",
        "by count alone",
        """
        def pruning_order(merges, counts):
            return sorted(counts, key=lambda token: (counts[token], -token))
        """,
        hint="needed",
    ),
    Wrong(
        "13.pruning_order",
        "nothing is handed down",
        """
        def pruning_order(merges, counts):
            left, order = {256 + at: pair for at, pair in enumerate(merges)}, []
            while left:
                needed = {half for pair in left.values() for half in pair}
                gone = min((t for t in left if t not in needed), key=lambda t: (counts[t], -t))
                order.append(gone)
                del left[gone]
            return order
        """,
        hint="nothing-handed-down",
    ),
    Wrong(
        "13.pruning_order",
        "the left half inherits",
        """
        def pruning_order(merges, counts):
            left, order = {256 + at: pair for at, pair in enumerate(merges)}, []
            while left:
                needed = {half for pair in left.values() for half in pair}
                gone = min((t for t in left if t not in needed), key=lambda t: (counts[t], -t))
                order.append(gone)
                half = left.pop(gone)[0]
                if half in counts:
                    counts[half] += counts[gone]
            return order
        """,
        hint="left-inherits",
    ),
    Wrong(
        "13.pruning_order",
        "the smaller id of equal ones",
        """
        def pruning_order(merges, counts):
            left, order = {256 + at: pair for at, pair in enumerate(merges)}, []
            while left:
                needed = {half for pair in left.values() for half in pair}
                gone = min((t for t in left if t not in needed), key=lambda t: (counts[t], t))
                order.append(gone)
                for half in left.pop(gone):
                    if half in counts:
                        counts[half] += counts[gone]
            return order
        """,
        hint="ties",
    ),
    Wrong(
        "13.pruning_order",
        "the newest first",
        """
        def pruning_order(merges, counts):
            return list(range(255 + len(merges), 255, -1))
        """,
        hint="newest-first",
    ),
    Wrong(
        "13.pruning_order",
        "who is needed is decided once",
        """
        def pruning_order(merges, counts):
            needed = {half for pair in merges for half in pair}
            free = sorted((t for t in counts if t not in needed), key=lambda t: (counts[t], -t))
            return free + sorted((t for t in counts if t in needed), key=lambda t: (counts[t], -t))
        """,
        hint="",
    ),
]
