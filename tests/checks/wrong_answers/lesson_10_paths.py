"""Wrong answers to the exercises of lesson 10: count_paths and to_tokens: the beginning and the end of a path."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

PATHS = [
    Wrong(
        "10.count_paths",
        "the last piece that ends there",
        """
        def count_paths(text, pieces):
            ways = [1] + [0] * len(text)
            for start in range(len(text)):
                for piece in pieces:
                    if text.startswith(piece, start):
                        ways[start + len(piece)] = ways[start]
            return ways[len(text)]
        """,
        hint="overwrites",
    ),
    Wrong(
        "10.count_paths",
        "one for each piece",
        """
        def count_paths(text, pieces):
            ways = [1] + [0] * len(text)
            for start in range(len(text)):
                for piece in pieces:
                    if text.startswith(piece, start):
                        ways[start + len(piece)] += 1
            return ways[len(text)]
        """,
        hint="counts-steps",
    ),
    Wrong(
        "10.count_paths",
        "one too many each time",
        """
        def count_paths(text, pieces):
            ways = [1] + [0] * len(text)
            for start in range(len(text)):
                for piece in pieces:
                    if text.startswith(piece, start):
                        ways[start + len(piece)] += ways[start] + 1
            return ways[len(text)]
        """,
        hint="one-too-many",
    ),
    Wrong(
        "10.count_paths",
        "from right to left by mistake",
        """
        def count_paths(text, pieces):
            ways = [1] + [0] * len(text)
            for start in range(len(text)):
                for piece in pieces:
                    if text.startswith(piece, start):
                        ways[start] += ways[start + len(piece)]
            return ways[len(text)]
        """,
        hint="both-directions",
    ),
    Wrong(
        "10.count_paths",
        "the next place",
        """
        def count_paths(text, pieces):
            ways = [1] + [0] * len(text)
            for start in range(len(text)):
                for piece in pieces:
                    if text.startswith(piece, start):
                        ways[start + 1] = ways[start] * sum(text.startswith(one, start) for one in pieces)
            return ways[len(text)]
        """,
        hint="ends-too-early",
    ),
    Wrong(
        "10.count_paths",
        "lists every way",
        """
        def count_paths(text, pieces):
            if not text:
                return 1
            return sum(count_paths(text[len(piece):], pieces) for piece in pieces if text.startswith(piece))
        """,
        hint="too slow",
    ),
    Wrong(
        "10.to_tokens",
        "begins with the last character",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin = [], 0
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(data)
                if piece in piece_ids:
                    tokens.append((piece_ids[piece], begin, end))
                elif "<0x00>" in piece_ids:
                    for byte in data[:-1]:
                        tokens.append((piece_ids[f"<0x{byte:02X}>"], begin, begin))
                    tokens.append((piece_ids[f"<0x{data[-1]:02X}>"], begin, end))
                elif tokens and tokens[-1][0] == unk_id:
                    tokens[-1] = (unk_id, begin, end)
                else:
                    tokens.append((unk_id, begin, end))
                begin = end
            return tokens
        """,
        hint="begin-of-the-last",
    ),
    Wrong(
        "10.to_tokens",
        "ends with the first character",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin = [], 0
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(data)
                if piece in piece_ids:
                    tokens.append((piece_ids[piece], begin, end))
                elif "<0x00>" in piece_ids:
                    for byte in data[:-1]:
                        tokens.append((piece_ids[f"<0x{byte:02X}>"], begin, begin))
                    tokens.append((piece_ids[f"<0x{data[-1]:02X}>"], begin, end))
                elif tokens and tokens[-1][0] == unk_id:
                    pass
                else:
                    tokens.append((unk_id, begin, end))
                begin = end
            return tokens
        """,
        hint="end-of-the-first",
    ),
    Wrong(
        "10.to_tokens",
        "counts characters",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin = [], 0
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(piece)
                if piece in piece_ids:
                    tokens.append((piece_ids[piece], begin, end))
                elif "<0x00>" in piece_ids:
                    for byte in data[:-1]:
                        tokens.append((piece_ids[f"<0x{byte:02X}>"], begin, begin))
                    tokens.append((piece_ids[f"<0x{data[-1]:02X}>"], begin, end))
                elif tokens and tokens[-1][0] == unk_id:
                    tokens[-1] = (unk_id, tokens[-1][1], end)
                else:
                    tokens.append((unk_id, begin, end))
                begin = end
            return tokens
        """,
        hint="characters",
    ),
    Wrong(
        "10.to_tokens",
        "each byte at its own place",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin = [], 0
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(data)
                if piece in piece_ids:
                    tokens.append((piece_ids[piece], begin, end))
                elif "<0x00>" in piece_ids:
                    for at, byte in enumerate(data):
                        tokens.append((piece_ids[f"<0x{byte:02X}>"], begin + at, begin + at + 1))
                elif tokens and tokens[-1][0] == unk_id:
                    tokens[-1] = (unk_id, tokens[-1][1], end)
                else:
                    tokens.append((unk_id, begin, end))
                begin = end
            return tokens
        """,
        hint="each-byte-its-own",
    ),
    Wrong(
        "10.to_tokens",
        "bytes are joined too",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin, before = [], 0, True
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(data)
                known = piece in piece_ids
                if known:
                    tokens.append((piece_ids[piece], begin, end))
                elif not before:
                    tokens[-1] = (tokens[-1][0], tokens[-1][1], end)
                elif "<0x00>" in piece_ids:
                    tokens.append((piece_ids[f"<0x{data[0]:02X}>"], begin, end))
                else:
                    tokens.append((unk_id, begin, end))
                begin, before = end, known
            return tokens
        """,
        hint="joins-bytes",
    ),
    Wrong(
        "10.to_tokens",
        "one unknown token for the whole text",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin = [], 0
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(data)
                if piece in piece_ids:
                    tokens.append((piece_ids[piece], begin, end))
                elif "<0x00>" in piece_ids:
                    for byte in data[:-1]:
                        tokens.append((piece_ids[f"<0x{byte:02X}>"], begin, begin))
                    tokens.append((piece_ids[f"<0x{data[-1]:02X}>"], begin, end))
                elif unk_id in [token for token, _, _ in tokens]:
                    at = [token for token, _, _ in tokens].index(unk_id)
                    tokens[at] = (unk_id, tokens[at][1], end)
                else:
                    tokens.append((unk_id, begin, end))
                begin = end
            return tokens
        """,
        hint="joins-over-pieces",
    ),
]
