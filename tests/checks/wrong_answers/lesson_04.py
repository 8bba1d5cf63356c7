"""Wrong answers to the exercises of lesson 04; those about recovering merges are in ``recovery_04``."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong, recovery_04

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
    _encode("ranks for ids", "[order.index(b) for b in word.encode()]", "merges-from-0", "rank"),
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
    _read(
        "every line like a header goes",
        'merge_lines = [line for line in text.splitlines() if not line.startswith("#version")]',
        "drops-every-header",
    ),
    _read(
        "every line that is the header goes",
        'merge_lines = [line for line in text.splitlines() if line != "#version: 0.2"]',
        "drops-every-header",
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

WRONG = [*BYTE_ORDER, *BYTE_ALPHABET, *ENCODE_SHUFFLED, *RANKS_FROM_BPE, *recovery_04.WRONG]
