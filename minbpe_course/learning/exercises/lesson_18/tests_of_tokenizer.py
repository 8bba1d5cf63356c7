"""Exercise 18.test_tokenizer: tokenizers as source text, right and wrong, for the test that the learner writes.

Each source defines ``tokenizer(ranks, calls)``: ``ranks`` maps a token (bytes) to its id, and ``calls`` is a list of
("encode", text) and ("decode", ids). The answer is the list of what the calls return.
"""

from minbpe_course.learning.judge.exercise import Exercise, changed, mutant

RANKS = {bytes([byte]): byte for byte in range(256)}
RANKS |= {b"bc": 256, b"ab": 257, b"aa": 258, b"aab": 259, b" a": 260, b"the": 262, b"th": 261, b"\r\n": 263}


def test_tokenizer(tokenizer):
    """Raise AssertionError if the tokenizer is not correct.

    Ten broken tokenizers are waiting outside, along with three correct ones. Write the test that lets in the correct
    ones and keeps the others out. A round trip is not enough: you have seen which bugs it misses.

    Here, a tokenizer is a function, `tokenizer(ranks, calls)`. Each of the calls is `("encode", text)` or `("decode",
    ids)`, and the result is the list of their results, one after the other. A correct tokenizer follows these rules:

    * `encode` looks at all neighbors in the UTF-8 bytes that form a token together, and joins those with the lowest
      rank first, leftmost first. The text is one word; it is not split.
    * `decode` joins the bytes of all the tokens, and replaces invalid UTF-8 with U+FFFD, as `bytes.decode("utf-8",
      "replace")` does. An id that is not in the vocabulary raises an exception.
    * Earlier calls change nothing.

    Your function:

    * **In:** `tokenizer`, such a function. `RANKS` is a small vocabulary for it: all 256 bytes, and a few more tokens.
    * **Out:** nothing if it is correct; `AssertionError` if it is not (a plain `assert` will do).

    Your test runs several times on each, and its verdict must not change. Texts of a few hundred characters are long
    enough. Catching all ten earns 3 points, five to nine earn 1.
    """
    from itertools import product

    def right_ids(written):
        cut = [bytes([byte]) for byte in written.encode("utf-8")]
        while due := [(RANKS[a + b], spot) for spot, (a, b) in enumerate(zip(cut, cut[1:])) if a + b in RANKS]:
            spot = min(due)[1]
            cut[spot : spot + 2] = [cut[spot] + cut[spot + 1]]
        return [RANKS[token] for token in cut]

    texts = ["".join(letters) for size in range(4) for letters in product("abc", repeat=size)]
    texts += [" a ", "\r\n", "a\r\nb", "e\u0301\u00e9", "\u4e2d\U0001f600", "aab" * 22, " the" * 5]
    texts += [f"aaaaaaaaaaaa{end}" for end in ("ab", "bc", "th", "  ")]
    answers = tokenizer(RANKS, [("encode", text) for text in texts])
    assert answers == [right_ids(text) for text in texts]
    assert tokenizer(RANKS, [("decode", ids) for ids in answers]) == texts
    broken = [b"\x80", b"a\xffb", b"\xe2\x82", b"\xf0\x9f\x98a", b"\xc3\xa9"]
    wanted = [data.decode("utf-8", "replace") for data in broken]
    assert tokenizer(RANKS, [("decode", list(data)) for data in broken]) == wanted
    try:
        tokenizer(RANKS, [("decode", [97, 99_999])])
    except Exception:
        return
    raise AssertionError("an unknown id was decoded")


_SESSION = """
def tokenizer(ranks, calls):
    tokens = {number: token for token, number in ranks.items()}

    def encode(text):
        data = text.encode("utf-8")
        parts = [data[at : at + 1] for at in range(len(data))]
        while True:
            found = [(ranks[a + b], at) for at, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in ranks]
            if not found:
                return [ranks[part] for part in parts]
            _, at = min(found)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    def decode(ids):
        return b"".join([tokens[number] for number in ids]).decode("utf-8", "replace")

    return [encode(given) if method == "encode" else decode(given) for method, given in calls]
"""

_BY_RANK = '''
def tokenizer(ranks, calls):
    """Make one merge after the other everywhere, the oldest first."""
    spelled = dict(map(reversed, ranks.items()))
    answers = []
    for method, given in calls:
        if method == "decode":
            answers.append(bytes().join([spelled[number] for number in given]).decode(errors="replace"))
            continue
        parts = [bytes([byte]) for byte in given.encode()]
        for token in sorted(ranks, key=ranks.get):
            merged = []
            for part in parts:
                if merged and merged[-1] + part == token:
                    merged[-1] = token
                else:
                    merged.append(part)
            parts = merged
        answers.append([ranks[part] for part in parts])
    return answers
'''

_CACHED = changed(
    _SESSION,
    (
        "    def encode(text):",
        """    seen = {}

    def encode(text):
        if text not in seen:
            seen[text] = encode_new(text)
        return seen[text]

    def encode_new(text):""",
    ),
)

RIGHT = (_SESSION, _BY_RANK, _CACHED)


def _in(text):
    return "text.encode(", f"{text}.encode("


EXERCISE = Exercise(
    "18.test_tokenizer",
    "Who gets past you?",
    "test",
    answer=test_tokenizer,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "The round trip finds four or five of them. For the ids you need a reference, and for decode you need bytes "
        "that are not text.",
        "Lesson 18, on its rules: each of the ten breaks one of them.",
        "write the plain encoder inside the test; in one session encode texts with spaces, line ends, é in two "
        "spellings, runs of a, long texts, and texts that begin alike; compare ids, then decode; then decode single "
        "bytes in any order, and an unknown id",
    ),
    subject="tokenizer",
    right=RIGHT,
    mutants=(
        mutant(
            _SESSION,
            "longest-token",
            "takes the longest token first",
            (
                "        while True:",
                """        ids = []
        while data:
            size = next(size for size in range(len(data), 0, -1) if data[:size] in ranks)
            ids.append(ranks[data[:size]])
            data = data[size:]
        return ids
        while True:""",
            ),
        ),
        mutant(
            _SESSION,
            "from-the-right",
            "merges equal pairs from the right",
            ("(ranks[a + b], at) for", "(ranks[a + b], -at) for"),
            ("_, at = min(found)", "at = -min(found)[1]"),
        ),
        mutant(_SESSION, "strips", "strips spaces at the ends", _in("text.strip()")),
        mutant(_SESSION, "one-line-end", "reads two kinds of line ends as one", _in('text.replace("\\r\\n", "\\n")')),
        mutant(
            _SESSION,
            "composes",
            "takes two spellings of a letter for one",
            ("\ndef tokenizer", "\nimport unicodedata\n\ndef tokenizer"),
            _in('unicodedata.normalize("NFC", text)'),
        ),
        mutant(
            _SESSION,
            "chunks",
            "cuts long texts at fixed places",
            (
                "    def encode(text):",
                "    def encode(text):\n"
                "        chunks = [text[at : at + 64] for at in range(0, len(text), 64)]\n"
                "        return [number for chunk in chunks for number in encode_chunk(chunk)]\n\n"
                "    def encode_chunk(text):",
            ),
        ),
        mutant(
            _SESSION,
            "one-by-one",
            "decodes each token on its own",
            ('b"".join([tokens[number]', '"".join([tokens[number].decode("utf-8", "replace")'),
            ('ids]).decode("utf-8", "replace")', "ids])"),
        ),
        mutant(_SESSION, "ignores", "drops broken bytes", ('"replace"', '"ignore"')),
        mutant(
            _SESSION, "skips", "skips unknown ids", ("for number in ids]", "for number in ids if number in tokens]")
        ),
        mutant(
            _CACHED,
            "remembers",
            "remembers a text by a part of it",
            ("        if text", "        text, whole = (len(text), text[:8]), text\n        if text"),
            ("encode_new(text)\n", "encode_new(whole)\n"),
        ),
    ),
)
