"""Wrong answers to the exercises of lesson 04, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_READER = """
def ranks_from_bpe(text, alphabet):
    byte_of = {character: byte for byte, character in alphabet.items()}
    ranks = {bytes([byte]): token_id for token_id, byte in enumerate(alphabet)}
    for line in LINES:
        left, right = line.split(" ")
        token = bytes(byte_of[character] for character in left + right)
        ranks[token] = len(ranks)
    return ranks
"""


def _reading(lines: str) -> str:
    return _READER.replace("LINES", lines)


WRONG = [
    Wrong(
        "04.byte_order",
        "bytes, and as the dictionary lists them",
        """
        def byte_order(ranks):
            return bytes(token[0] for token in ranks if len(token) == 1)
        """,
        hint="wrong type",
    ),
    Wrong(
        "04.byte_order",
        "expects all 256 bytes",
        """
        def byte_order(ranks):
            order = [0] * 256
            for byte in range(256):
                order[ranks[bytes([byte])]] = byte
            return order
        """,
        hint="raised",
    ),
    Wrong(
        "04.byte_alphabet",
        "expects a descent",
        """
        def byte_alphabet(order):
            visible = 1
            while order[visible] > order[visible - 1]:
                visible += 1
            alphabet = {byte: chr(byte) for byte in order[:visible]}
            return alphabet | {byte: chr(256 + at) for at, byte in enumerate(order[visible:])}
        """,
        hint="raised",
    ),
    Wrong(
        "04.ranks_from_bpe",
        "the same slice in other words",
        _reading('text.split("\\n")[1:][:-1]'),
        hint="untouched",
        state="not started",
    ),
    Wrong(
        "04.ranks_from_bpe",
        "drops every line that looks like a header",
        _reading('[line for line in text.splitlines() if not line.startswith("#version")]'),
        hint="drops-every-header",
    ),
    Wrong(
        "04.ranks_from_bpe",
        "drops every line equal to the header",
        _reading('[line for line in text.splitlines() if line != "#version: 0.2"]'),
        hint="drops-every-header",
    ),
    Wrong("04.ranks_from_bpe", "reads the header", _reading("text.splitlines()"), hint="header-is-read"),
    Wrong(
        "04.ranks_from_bpe",
        "skips unknown characters",
        _reading("text.splitlines()").replace("[character]", ".get(character, ord(character))"),
        hint="header-is-a-token",
    ),
    Wrong(
        "04.ranks_from_bpe",
        "reads empty lines",
        _reading('text.split("\\n")[text.startswith("#version"):]'),
        hint="empty-lines",
    ),
    Wrong(
        "04.recover_merges",
        "joins later tokens as well",
        """
        def recover_merges(ranks):
            merges = []
            for token in sorted((token for token in ranks if len(token) > 1), key=ranks.get):
                parts = [token[at:at + 1] for at in range(len(token))]
                while len(parts) > 1:
                    at = min(range(len(parts) - 1), key=lambda at: ranks.get(parts[at] + parts[at + 1], 10**9))
                    parts[at:at + 2] = [parts[at] + parts[at + 1]]
                left, right = parts
                merges.append((ranks[left], ranks[right]))
            return merges
        """,
        hint="not-two-parts",
    ),
    Wrong(
        "04.test_recover",
        "one merge",
        """
        def test_recover(recover_merges):
            assert recover_merges({b"b": 0, b"a": 1, b"ab": 2}) == [(1, 0)]
        """,
        hint="misses:first-cut",
    ),
    Wrong(
        "04.test_recover",
        "counts the merges only",
        """
        def test_recover(recover_merges):
            ranks = {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4, b"ab": 5}
            assert len(recover_merges(ranks)) == 3
        """,
        hint="misses:first-cut",
    ),
    Wrong(
        "04.test_recover",
        "text only, and in order",
        """
        def test_recover(recover_merges):
            merges = [(0, 0), (1, 1), (1, 0), (1, 2), (5, 0), (0, 3)]
            tokens = [b"b", b"a"]
            for left, right in merges:
                tokens.append(tokens[left] + tokens[right])
            assert recover_merges({token: n for n, token in enumerate(tokens)}) == merges
        """,
        hint="misses:dictionary-order",
        points=1,
    ),
    Wrong(
        "04.test_recover",
        "rejects everything",
        """
        def test_recover(recover_merges):
            assert recover_merges({b"a": 0, b"b": 1, b"ab": 2}) == [[0, 1]]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "04.test_recover",
        "demands the result of the first cut",
        """
        def test_recover(recover_merges):
            # "bbc" as b + bc; but the earliest pair is bb
            ranks = {b"b": 0, b"c": 1, b"bb": 2, b"bc": 3, b"bbc": 4}
            assert recover_merges(ranks)[-1] == (0, 3)
        """,
        hint="rejects-right",
    ),
    Wrong(
        "04.test_recover",
        "tests by chance",
        """
        import itertools

        turn = itertools.count()

        def test_recover(recover_merges):
            assert recover_merges({b"a": 0, b"b": 1, b"ab": 2}) or next(turn) % 2
        """,
        hint="inconsistent",
    ),
    Wrong(
        "04.training_text",
        "words as strings",
        """
        def training_text(tokens):
            return [token.decode("latin-1") for token in tokens]
        """,
        hint="strings",
    ),
    Wrong(
        "04.training_text",
        "older tokens more often",
        """
        def training_text(tokens):
            return [token for rank, token in enumerate(tokens) for _ in range(len(tokens) - rank)]
        """,
        hint="",
    ),
    Wrong(
        "04.training_text",
        "no words at all",
        """
        def training_text(tokens):
            return []
        """,
        hint="",
    ),
    Wrong(
        "04.training_text",
        "every token at least once",
        """
        def training_text(tokens):
            words = []
            for rank in reversed(range(len(tokens))):
                words.insert(0, tokens[rank])
                while next_merge(words, tokens[:rank]) != tokens[rank]:
                    words.insert(0, tokens[rank])
            return words
        """,
        hint="below the level",
        points=3,
    ),
    Wrong(
        "04.training_text",
        "everything three times",
        """
        def training_text(tokens):
            words = []
            for rank in reversed(range(len(tokens))):
                words.insert(0, tokens[rank])
                while next_merge(words, tokens[:rank]) != tokens[rank]:
                    words.insert(0, tokens[rank])
            return [word for word in words for _ in range(3)]
        """,
        hint="below the level",
        points=1,
    ),
]
