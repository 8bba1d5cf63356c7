"""Wrong answers to the exercises of lesson 04."""

from __future__ import annotations

from wrong_answers import Wrong

BYTE_ORDER = [
    Wrong(
        "04.byte_order",
        "the id of each byte",
        """
        def byte_order(ranks):
            singles = [token for token in ranks if len(token) == 1]
            return [ranks[token] for token in sorted(singles)]
        """,
        hint="byte-to-id",
    ),
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
        "as the dictionary lists them",
        """
        def byte_order(ranks):
            singles = [token for token in ranks if len(token) == 1]
            return [ord(token) for token in singles]
        """,
        hint="dictionary-order",
    ),
    Wrong(
        "04.byte_order",
        "sorted by themselves",
        """
        def byte_order(ranks):
            singles = [token for token in ranks if len(token) == 1]
            return [token[0] for token in sorted(singles)]
        """,
        hint="by-byte",
    ),
    Wrong(
        "04.byte_order",
        "tokens in place of bytes",
        """
        def byte_order(ranks):
            singles = [token for token in ranks if len(token) == 1]
            singles.sort(key=lambda token: ranks[token])
            return singles
        """,
        hint="tokens-not-bytes",
    ),
    Wrong(
        "04.byte_order",
        "takes it that all 256 bytes are there",
        """
        def byte_order(ranks):
            order = [0] * 256
            for byte in range(256):
                order[ranks[bytes([byte])]] = byte
            return order
        """,
        hint="raised",
    ),
]

BYTE_ALPHABET = [
    Wrong(
        "04.byte_alphabet",
        "a hidden byte borrows 256 + byte",
        """
        def byte_alphabet(order):
            alphabet, hidden, before = {}, False, -1
            for byte in order:
                hidden = hidden or byte < before
                alphabet[byte] = chr(256 + byte) if hidden else chr(byte)
                before = byte
            return alphabet
        """,
        hint="borrows-by-byte",
    ),
    Wrong(
        "04.byte_alphabet",
        "a hidden byte borrows 256 + id",
        """
        def byte_alphabet(order):
            alphabet, hidden = {}, False
            for token_id, byte in enumerate(order):
                if token_id and byte < order[token_id - 1]:
                    hidden = True
                alphabet[byte] = chr(256 + token_id) if hidden else chr(byte)
            return alphabet
        """,
        hint="borrows-by-id",
    ),
    Wrong(
        "04.byte_alphabet",
        "the first gap ends the visible bytes",
        """
        def byte_alphabet(order):
            visible = 1
            while visible < len(order) and order[visible] == order[visible - 1] + 1:
                visible += 1
            alphabet = {byte: chr(byte) for byte in order[:visible]}
            for number, byte in enumerate(order[visible:]):
                alphabet[byte] = chr(256 + number)
            return alphabet
        """,
        hint="gap-for-descent",
    ),
    Wrong(
        "04.byte_alphabet",
        "the function that everybody copies from GPT-2",
        """
        def byte_alphabet(order):
            bs = list(range(ord("!"), ord("~") + 1)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
            cs = bs[:]
            n = 0
            for b in range(256):
                if b not in bs:
                    bs.append(b)
                    cs.append(256 + n)
                    n += 1
            table = dict(zip(bs, map(chr, cs)))
            return {byte: table[byte] for byte in order}
        """,
        hint="gpt2-always",
    ),
    Wrong(
        "04.byte_alphabet",
        "Latin-1",
        """
        def byte_alphabet(order):
            return {byte: bytes([byte]).decode("latin-1") for byte in order}
        """,
        hint="nothing-hidden",
    ),
    Wrong(
        "04.byte_alphabet",
        "looks for a descent that is not always there",
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
]

_ENCODE = """
        def encode_shuffled(word, order, merges):
            ids = {start}
            new_id = {{tuple(pair): {number} for rank, pair in enumerate(merges)}}
            while len(ids) > 1:
                pair = min(zip(ids, ids[1:]), key=lambda pair: new_id.get(pair, 1e9))
                if pair not in new_id:
                    break
                at = list(zip(ids, ids[1:])).index(pair)
                ids[at:at + 2] = [new_id[pair]]
            return ids
"""


def _encode(name: str, start: str, hint: str, number: str = "len(order) + rank") -> Wrong:
    return Wrong("04.encode_shuffled", name, _ENCODE.format(start=start, number=number), hint=hint)


ENCODE_SHUFFLED = [
    _encode("forgets the shuffle", "list(word.encode())", "id-is-byte"),
    _encode("the shuffle the wrong way round", "[order[byte] for byte in word.encode('utf-8')]", "wrong-direction"),
    _encode("looks up characters", "[order.index(ord(character)) for character in word]", "characters"),
    _encode("always 256 bytes", "[order.index(b) for b in word.encode()]", "merges-from-256", "256 + rank"),
    _encode("ranks for ids", "[order.index(b) for b in word.encode()]", "", "rank"),
    Wrong(
        "04.encode_shuffled",
        "the leftmost pair first",
        """
        def encode_shuffled(word, order, merges):
            ids = [order.index(byte) for byte in word.encode()]
            merges = [tuple(pair) for pair in merges]
            at = 0
            while at < len(ids) - 1:
                pair = (ids[at], ids[at + 1])
                if pair in merges:
                    ids[at:at + 2] = [len(order) + merges.index(pair)]
                    at = 0
                else:
                    at += 1
            return ids
        """,
        hint="leftmost-pair",
    ),
]


_READ = """
        def ranks_from_bpe(text, alphabet):
            byte_of = {{character: byte for byte, character in alphabet.items()}}
            ranks = {{bytes([byte]): token_id for token_id, byte in enumerate(alphabet)}}
            {lines}
            for line in merge_lines:
                left, right = line.split(" ")
                token = bytes(byte_of{lookup} for character in left + right)
                ranks[token] = len(ranks)
            return ranks
"""


def _read(name: str, lines: str, hint: str, state: str = "not yet", lookup: str = "[character]") -> Wrong:
    return Wrong("04.ranks_from_bpe", name, _READ.format(lines=lines, lookup=lookup), hint=hint, state=state)


RANKS_FROM_BPE = [
    _read("the same slice in other words", 'merge_lines = text.split("\\n")[1:][:-1]', "untouched", "not started"),
    _read(
        "number signs are comments",
        'merge_lines = [line for line in text.split("\\n") if line and not line.startswith("#")]',
        "drops-number-signs",
    ),
    _read("the first line goes", "merge_lines = text.splitlines()[1:]", "first-still-lost"),
    _read(
        "the last line goes",
        'merge_lines = text.split("\\n")[text.startswith("#version"):-1]',
        "last-still-lost",
    ),
    _read("the header is read", "merge_lines = text.splitlines()", "header-is-read"),
    _read(
        "what is unknown is passed over",
        "merge_lines = text.splitlines()",
        "header-is-a-token",
        lookup=".get(character, ord(character))",
    ),
    _read(
        "empty lines are read",
        'merge_lines = text.split("\\n")[text.startswith("#version"):]',
        "empty-lines",
    ),
]


_RECOVER = """
        def recover_merges(ranks):
            def cuts(token):
                halves = [(token[:at], token[at:]) for at in range(1, len(token))]
                return [(a, b) for a, b in halves
                        if a in ranks and b in ranks and max(ranks[a], ranks[b]) < ranks[token]]

            def build(token, choose, limit):
                parts = [token[at:at + 1] for at in range(len(token))]
                while len(parts) > {stop}:
                    found = [(ranks[a + b], at) for at, (a, b) in enumerate(zip(parts, parts[1:]))
                             if a + b in ranks and ranks[a + b] < limit]
                    if not found:
                        break
                    rank, at = choose(found)
                    parts[at:at + 2] = [parts[at] + parts[at + 1]]
                return parts

            merges = []
            for token in {tokens}:
                left, right = {parts}
                merges.append({pair})
            return merges
"""
_BY_RANK = "sorted((token for token in ranks if len(token) > 1), key=ranks.get)"


def _recover(
    name: str,
    hint: str,
    *,
    parts: str = "build(token, min, ranks[token])",
    tokens: str = _BY_RANK,
    pair: str = "(ranks[left], ranks[right])",
    stop: int = 1,
) -> Wrong:
    source = _RECOVER.format(parts=parts, tokens=tokens, pair=pair, stop=stop)
    return Wrong("04.recover_merges", name, source, hint=hint)


RECOVER_MERGES = [
    _recover("the first cut", "first-cut", parts="cuts(token)[0]"),
    _recover("the longest token on the left", "last-cut", parts="cuts(token)[-1]"),
    _recover(
        "the cut with the oldest parts, the last of equals",
        "oldest-parts",
        parts="min(reversed(cuts(token)), key=lambda cut: max(ranks[part] for part in cut))",
    ),
    _recover(
        "the cut with the oldest parts",
        "oldest-parts",
        parts="min(cuts(token), key=lambda cut: max(ranks[part] for part in cut))",
    ),
    _recover(
        "the youngest pair first",
        "youngest-pair",
        parts="build(token, lambda found: max(found, key=lambda pair: pair[0]), ranks[token])",
        stop=2,
    ),
    _recover(
        "the last of equals first",
        "last-of-equals",
        parts="build(token, lambda found: min(found, key=lambda pair: (pair[0], -pair[1])), ranks[token])",
    ),
    _recover(
        "a byte is its own id",
        "bytes-are-ids",
        pair="tuple(part[0] if len(part) == 1 else ranks[part] for part in (left, right))",
    ),
    _recover("as the dictionary lists them", "dictionary-order", tokens="[token for token in ranks if len(token) > 1]"),
    _recover("parts, not ids", "bytes-for-ids", pair="(left, right)"),
    _recover("later merges as well", "not-two-parts", parts="build(token, min, float('inf'))"),
    _recover("single bytes have parts too", "not-two-parts", tokens="sorted(ranks, key=ranks.get)"),
]


TEST_RECOVER = [
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
        "wants what the first cut gives",
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
        "tests now and then",
        """
        import itertools

        turn = itertools.count()

        def test_recover(recover_merges):
            assert recover_merges({b"a": 0, b"b": 1, b"ab": 2}) or next(turn) % 2
        """,
        hint="inconsistent",
    ),
]


TRAINING_TEXT = [
    Wrong(
        "04.training_text",
        "each token once",
        """
        def training_text(tokens):
            return list(tokens)
        """,
        hint="each-token-once",
    ),
    Wrong(
        "04.training_text",
        "the youngest first",
        """
        def training_text(tokens):
            return sorted(tokens, key=tokens.index, reverse=True)
        """,
        hint="youngest-first",
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
        "older ones more often",
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

WRONG = [
    *BYTE_ORDER,
    *BYTE_ALPHABET,
    *ENCODE_SHUFFLED,
    *RANKS_FROM_BPE,
    *RECOVER_MERGES,
    *TEST_RECOVER,
    *TRAINING_TEXT,
]
