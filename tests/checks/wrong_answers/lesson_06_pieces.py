"""Wrong answers to the exercises of lesson 06 about text and pieces."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

PIECES = [
    Wrong(
        "06.test_normalize",
        "one example is no test",
        """
        def test_normalize(normalize):
            assert normalize("Hello world") == "▁Hello▁world"
        """,
        hint="misses:prefix-of-nothing",
    ),
    Wrong(
        "06.test_normalize",
        "wants a mark for nothing",
        """
        def test_normalize(normalize):
            for text in ["", "a", "a b"]:
                assert normalize(text) == "▁" + text.replace(" ", "▁")
        """,
        hint="rejects-right",
    ),
    Wrong(
        "06.test_normalize",
        "depends on chance",
        """
        import itertools
        turn = itertools.count()

        def test_normalize(normalize):
            assert normalize("a b") == "▁a▁b"
            assert normalize("") == "" or next(turn) % 2
        """,
        hint="inconsistent",
    ),
    Wrong(
        "06.test_normalize",
        "checks the property instead of the answer",
        """
        def test_normalize(normalize):
            for text in ["", "a", " a", "a  b "]:
                out = normalize(text)
                assert " " not in out
                assert out.startswith("▁") == bool(text)
                assert out[1:].replace("▁", " ") == text
        """,
        hint="misses:tabs",
        points=1,
    ),
    Wrong(
        "06.fall_back",
        "lower case",
        """
        def fall_back(symbols, piece_ids, unk_id):
            ids = []
            for symbol in symbols:
                if symbol in piece_ids or "<0x00>" not in piece_ids:
                    ids.append(piece_ids.get(symbol, unk_id))
                else:
                    ids.extend(piece_ids.get(f"<0x{byte:02x}>", unk_id) for byte in symbol.encode())
            return ids
        """,
        hint="lower-case",
    ),
    Wrong(
        "06.fall_back",
        "code points for bytes",
        """
        def fall_back(symbols, piece_ids, unk_id):
            ids = []
            for symbol in symbols:
                if symbol in piece_ids or "<0x00>" not in piece_ids:
                    ids.append(piece_ids.get(symbol, unk_id))
                else:
                    ids.extend(piece_ids.get(f"<0x{ord(c):02X}>", unk_id) for c in symbol)
            return ids
        """,
        hint="code-points",
    ),
    Wrong(
        "06.fall_back",
        "still one digit, and a KeyError",
        """
        def fall_back(symbols, piece_ids, unk_id):
            ids = []
            for symbol in symbols:
                if symbol in piece_ids or "<0x00>" not in piece_ids:
                    ids.append(piece_ids.get(symbol, unk_id))
                else:
                    ids.extend(piece_ids[f"<0x{byte:X}>"] for byte in symbol.encode())
            return ids
        """,
        hint="raised",
    ),
    Wrong(
        "06.encode_by_score",
        "the rightmost of equal scores",
        """
        def encode_by_score(text, scores, whole):
            row, at = [], 0
            while at < len(text):
                cut = max((p for p in whole if text.startswith(p, at)), key=len, default="")
                row.append((cut or text[at], bool(cut)))
                at += len(row[-1][0])
            while True:
                found = [(scores[a + b], i) for i, ((a, fa), (b, fb)) in enumerate(zip(row, row[1:]))
                         if not fa and not fb and a + b in scores]
                if not found:
                    return [symbol for symbol, _ in row]
                _, i = max(found)
                row[i : i + 2] = [(row[i][0] + row[i + 1][0], False)]
        """,
        hint="rightmost",
    ),
    Wrong(
        "06.encode_by_score",
        "forgets what is cut out whole",
        """
        def encode_by_score(text, scores, whole):
            row = list(text)
            while True:
                found = [(scores[a + b], -i) for i, (a, b) in enumerate(zip(row, row[1:])) if a + b in scores]
                if not found:
                    return row
                i = -max(found)[1]
                row[i : i + 2] = [row[i] + row[i + 1]]
        """,
        hint="joins-whole",
    ),
    Wrong(
        "06.encode_by_score",
        "every place of the best pair at once",
        """
        def encode_by_score(text, scores, whole):
            row, at = [], 0
            while at < len(text):
                cut = max((p for p in whole if text.startswith(p, at)), key=len, default="")
                row.append((cut or text[at], bool(cut)))
                at += len(row[-1][0])
            while True:
                found = [(scores[a + b], -i) for i, ((a, fa), (b, fb)) in enumerate(zip(row, row[1:]))
                         if not fa and not fb and a + b in scores]
                if not found:
                    return [symbol for symbol, _ in row]
                i = -max(found)[1]
                best = row[i][0] + row[i + 1][0]
                out = []
                for symbol in row:
                    if out and not out[-1][1] and not symbol[1] and out[-1][0] + symbol[0] == best:
                        out[-1] = (best, False)
                    else:
                        out.append(symbol)
                row = out
        """,
        hint="all-at-once",
    ),
    Wrong(
        "06.encode_by_score",
        "the lowest score first",
        """
        def encode_by_score(text, scores, whole):
            row, at = [], 0
            while at < len(text):
                cut = max((p for p in whole if text.startswith(p, at)), key=len, default="")
                row.append((cut or text[at], bool(cut)))
                at += len(row[-1][0])
            while True:
                found = [(scores[a + b], i) for i, ((a, fa), (b, fb)) in enumerate(zip(row, row[1:]))
                         if not fa and not fb and a + b in scores]
                if not found:
                    return [symbol for symbol, _ in row]
                _, i = min(found)
                row[i : i + 2] = [(row[i][0] + row[i + 1][0], False)]
        """,
        hint="lowest",
    ),
    Wrong(
        "06.encode_by_score",
        "longest match",
        """
        def encode_by_score(text, scores, whole):
            out, at = [], 0
            while at < len(text):
                piece = max((p for p in [*scores, *whole] if text.startswith(p, at)), key=len, default=text[at])
                out.append(piece)
                at += len(piece)
            return out
        """,
        hint="longest-match",
    ),
    Wrong(
        "06.choose_pieces",
        "single characters",
        """
        def choose_pieces(text, budget):
            return sorted(set(text))[:budget]
        """,
        hint="",
    ),
    Wrong(
        "06.choose_pieces",
        "no pieces at all",
        """
        def choose_pieces(text, budget):
            return []
        """,
        hint="below the level",
    ),
    Wrong(
        "06.choose_pieces",
        "what suits English, whatever the text",
        """
        def choose_pieces(text, budget):
            pieces = "▁t he in er an re on at en nd ▁a ▁s or ▁w es is it ou ▁the ing ▁o ▁c ▁b ed al ▁f ▁p ▁m le ar ▁and"
            return pieces.split(" ")[:budget]
        """,
        hint="below the level",
    ),
    Wrong(
        "06.choose_pieces",
        "more than the budget",
        """
        def choose_pieces(text, budget):
            return list({text[at : at + 2] for at in range(len(text) - 1)})
        """,
        hint="",
    ),
]
