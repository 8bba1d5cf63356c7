"""Wrong answers to the exercises of lesson 10: best_path."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

BEST = [
    Wrong(
        "10.best_path",
        "the later of equal sums",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total >= best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="later-of-equals",
    ),
    Wrong(
        "10.best_path",
        "double precision",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), best[start] + score
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="float64",
    ),
    Wrong(
        "10.best_path",
        "from the end to the beginning",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path
        """,
        hint="not-turned-round",
    ),
    Wrong(
        "10.best_path",
        "the lowest score for the unknown",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = min(scores.values())
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="unknown-as-the-lowest",
    ),
    Wrong(
        "10.best_path",
        "minus ten for the unknown",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = -10.0
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="unknown-as-minus-ten",
    ),
    Wrong(
        "10.best_path",
        "unknown only where nothing fits",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if not found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="unknown-only-where-nothing-fits",
    ),
    Wrong(
        "10.best_path",
        "the fewest pieces",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            scores = dict.fromkeys(scores, -1.0)
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="fewest-pieces",
    ),
    Wrong(
        "10.best_path",
        "the lowest sum",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                if text[start] not in found:
                    found[text[start]] = missing
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total < best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="lowest-sum",
    ),
    Wrong(
        "10.best_path",
        "forgets the unknown",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            best, came = [0.0] + [None] * len(text), [0] * (len(text) + 1)
            for start in range(len(text)):
                if best[start] is None:
                    continue
                found = {text[start:end]: scores[text[start:end]]
                         for end in range(start + 1, len(text) + 1) if text[start:end] in scores}
                for piece, score in found.items():
                    end, total = start + len(piece), float32(best[start] + score)
                    if best[end] is None or total > best[end]:
                        best[end], came[end] = total, start
            path, end = [], len(text)
            if best[end] is None:
                raise ValueError(text)
            while end:
                path.append(text[came[end] : end])
                end = came[end]
            return path[::-1]
        """,
        hint="raised",
    ),
    Wrong(
        "10.best_path",
        "longest match",
        """
        def best_path(text, scores):
            path, at = [], 0
            while at < len(text):
                piece = max((one for one in scores if text.startswith(one, at)), key=len, default=text[at])
                path.append(piece)
                at += len(piece)
            return path
        """,
        hint="longest-first",
    ),
    Wrong(
        "10.best_path",
        "the best piece at each place",
        """
        def best_path(text, scores):
            path, at = [], 0
            while at < len(text):
                here = [one for one in scores if text.startswith(one, at)]
                path.append(max(here, key=scores.get) if here else text[at])
                at += len(path[-1])
            return path
        """,
        hint="best-next",
    ),
    Wrong(
        "10.best_path",
        "every way, again and again",
        """
        import struct

        def float32(number):
            return struct.unpack("<f", struct.pack("<f", number))[0]

        def best_path(text, scores):
            missing = float32(min(scores.values()) - 10)
            def best(end):
                found = None if end else (0.0, [])
                for start in range(end):
                    piece = text[start:end]
                    if piece in scores or len(piece) == 1:
                        total, path = best(start)
                        total = float32(total + scores.get(piece, missing))
                        if found is None or total > found[0]:
                            found = total, [*path, piece]
                return found
            return best(len(text))[1]
        """,
        hint="too slow",
    ),
]
