"""Exercises 06.PieceTokenizer.*: encode and decode with the pieces of a SentencePiece model."""

from minbpe_course.formats.protobuf_fields import field_bytes
from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_06.model_files import score_field
from minbpe_course.learning.exercises.lesson_06.read_pieces import read_pieces
from minbpe_course.reference.pieces import Merger, split_symbols
from minbpe_course.text.normalize import LongestMatch

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


class PieceTokenizer:
    """Give the ids of sentencepiece, for BPE models without rules that rewrite characters.

    Limits: the model has a piece for each byte and no UNUSED pieces, and adds a space at the beginning of a text.
    """

    def __init__(self):
        self.pieces = []  # (piece, score, kind) of each id
        self.ids = {}  # NORMAL or USER_DEFINED piece -> id
        self.byte_ids = {}  # byte -> id of its piece
        self.user_defined = []  # USER_DEFINED pieces, in the order of their ids

    @classmethod
    def from_model(cls, data):
        """Return a tokenizer with the pieces of a model file, bytes.

        Make a `PieceTokenizer` and fill in what its `__init__` names:

        * `pieces`: what `read_pieces(data)` returns;
        * `ids`: a dict from piece to id, of the NORMAL and USER_DEFINED pieces, which a text can turn into;
        * `byte_ids`: a dict from byte to id, of the BYTE pieces. `<0x0A>` is the piece of byte 10;
        * `user_defined`: a list of the USER_DEFINED pieces, in the order of their ids.

        The check reads these four. It tries pieces of all kinds, and byte pieces in any place and order.
        """
        ### BEGIN SOLUTION
        tokenizer = cls()
        tokenizer.pieces = list(read_pieces(data))
        rows = [(i, piece, kind) for i, (piece, _, kind) in enumerate(tokenizer.pieces)]
        tokenizer.ids = {piece: i for i, piece, kind in rows if kind in (NORMAL, USER_DEFINED)}
        tokenizer.byte_ids = {int(piece[3:5], 16): i for i, piece, kind in rows if kind == BYTE}
        tokenizer.user_defined = [piece for _, piece, kind in rows if kind == USER_DEFINED]
        return tokenizer
        ### END SOLUTION

    def encode(self, text):
        """Return the ids of a text, as sentencepiece gives them.

        1. Put `▁` in front, and in place of each space. An empty text stays empty.
        2. Go from left to right. Where a USER_DEFINED piece begins, take the longest one whole. Everything else is
           single characters.
        3. Of all neighbors whose joined text is in `ids`, join those with the highest score (the leftmost if tied).
           Make one merge, then look again, until there are none. USER_DEFINED pieces never join.
        4. Look up the ids. What is not in `ids` becomes the ids of its bytes.

        The check sets the four attributes itself, so it doesn't matter here whether `from_model` works. It tries
        texts with and without spaces, scores that differ and scores that are tied, USER_DEFINED pieces, and bytes.
        """
        ### BEGIN SOLUTION
        text = "▁" + text.replace(" ", "▁") if text else ""
        symbols, whole = [], set(self.user_defined)
        while text:
            fitting = [piece for piece in self.user_defined if text.startswith(piece)]
            symbols.append(max(fitting, key=len, default=text[0]))
            text = text[len(symbols[-1]) :]
        while True:
            pairs = [left + right for left, right in zip(symbols, symbols[1:])]
            made = [(at, self.ids[pair]) for at, pair in enumerate(pairs) if pair in self.ids]
            scores = {at: self.pieces[i][1] for at, i in made if whole.isdisjoint(symbols[at : at + 2])}
            if not scores:
                break
            at = max(scores, key=scores.get)  # of tied ones, the first
            symbols[at : at + 2] = ["".join(symbols[at : at + 2])]
        spelled = {one: [self.byte_ids[byte] for byte in one.encode("utf-8")] for one in {*symbols} - self.ids.keys()}
        return [i for one in symbols for i in spelled.get(one) or [self.ids[one]]]
        ### END SOLUTION

    def decode(self, ids):
        """Return the text of ids, as sentencepiece gives it.

        * `▁` becomes a space. If the first piece that isn't CONTROL begins with `▁`, that one `▁` is left out, because
          `encode` added it.
        * CONTROL pieces become nothing. An UNKNOWN piece becomes `" ⁇ "` (U+2047 between two spaces).
        * BYTE pieces that follow one another are decoded together, as UTF-8. Each byte that isn't part of a whole
          character becomes one U+FFFD.

        The check sets the four attributes itself. It tries pieces of all kinds, whole characters and parts of them.
        """
        ### BEGIN SOLUTION
        text, waiting, first = "", b"", True
        for piece, _, kind in [*(self.pieces[i] for i in ids), ("", 0.0, CONTROL)]:
            if kind == BYTE:
                waiting += bytes([int(piece[3:5], 16)])
            else:
                decoded = waiting.decode("utf-8", errors="surrogateescape")
                text += "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in decoded)
                waiting = b""
            piece = {UNKNOWN: " \u2047 ", CONTROL: "", BYTE: ""}.get(kind, piece)
            text += (piece.removeprefix("▁") if first else piece).replace("▁", " ")
            first = first and kind == CONTROL
        return text
        ### END SOLUTION


class Reference(PieceTokenizer):
    """Encode with the package's reference, a queue of pairs."""

    def encode(self, text):
        """Return the ids of a text."""
        normal = "▁" + text.replace(" ", "▁") if text else ""
        symbols = split_symbols(normal, LongestMatch(piece.encode() for piece in self.user_defined))
        merger = Merger(symbols, self.ids, tuple(score for _, score, _ in self.pieces))
        while merger.merge_next() is not None:
            pass
        found = []
        for symbol in merger.present():
            known = symbol in self.ids
            found += [self.ids[symbol]] if known else [self.byte_ids[byte] for byte in symbol.encode()]
        return found


# ---- Small models

BEGIN_PIECES = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]


def byte_pieces(data):
    return [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in dict.fromkeys(data)]


def normal_pieces(texts, scores=None):
    return [(text, -float(at) if scores is None else scores[at], NORMAL) for at, text in enumerate(texts)]


def attributes(pieces):
    """Return the steps that give an empty tokenizer these pieces."""
    usable = {piece: i for i, (piece, _, kind) in enumerate(pieces) if kind in (NORMAL, USER_DEFINED)}
    spelled = {int(piece[3:5], 16): i for i, (piece, _, kind) in enumerate(pieces) if kind == BYTE}
    whole = [piece for piece, _, kind in pieces if kind == USER_DEFINED]
    return (
        ("pieces =", (pieces,)),
        ("ids =", (usable,)),
        ("byte_ids =", (spelled,)),
        ("user_defined =", (whole,)),
    )


def encoding(category, text, pieces):
    return Case(category, (), (*attributes(pieces), ("encode", (text,))))


def reading(category, pieces):
    fields = []
    for text, score, kind in pieces:
        kind_field = b"" if kind == NORMAL else field_bytes(3, kind)  # as sentencepiece writes it
        fields.append(field_bytes(1, field_bytes(1, text.encode()) + score_field(score) + kind_field))
    read = ((".pieces", ()), (".ids", ()), (".byte_ids", ()), (".user_defined", ()))
    return Case(category, (b"".join([*fields, field_bytes(2, field_bytes(3, 2))]),), read, "from_model")


def user_defined(*texts):
    return [(text, 0.0, USER_DEFINED) for text in texts]


PLAIN, SIGNALS, BYTES, WHOLE, MIXED = (
    "NORMAL pieces",
    "UNKNOWN and CONTROL pieces",
    "BYTE pieces",
    "USER_DEFINED pieces",
    "pieces of all kinds in any order",
)


def files(random):
    for size in range(1, 6):
        words = [f"{random.choice(['▁', 'a', 'é', '中'])}{at}" for at in range(size)]
        normal, spelled = normal_pieces(words), byte_pieces(random.randbytes(size))
        whole = user_defined(*(f"<{'abc'[:size]}{'<' * at}>" for at in range(size)))
        yield reading(PLAIN, normal)
        yield reading(SIGNALS, [*BEGIN_PIECES, *normal])
        yield reading(BYTES, [*normal, *spelled])
        yield reading(WHOLE, [*normal, *whole])
        everything = [*BEGIN_PIECES, *normal, *spelled, *whole]
        yield reading(MIXED, random.sample(everything, len(everything)))


DIFFER, TIED, SPACES, FALLBACK, CUT_OUT, NOTHING = (
    "scores that differ",
    "tied scores",
    "spaces",
    "characters without a piece",
    "USER_DEFINED pieces",
    "an empty text",
)


def texts(random):
    for length in range(1, 15):
        yield encoding(NOTHING, "", ANY)
        for category, parts in PARTS_OF_TEXTS.items():
            text = "".join(random.choices(parts, k=length))
            spelled = "▁" + text.replace(" ", "▁")
            cuts = sorted({spelled[at : at + size] for at in range(len(spelled)) for size in (2, 3, 4)} - set(spelled))
            made = random.sample(cuts, min(len(cuts), 7))
            whole = random.sample(["<", "<a", "<ab", "ab>", "<a>", "▁<"], 4) if category == CUT_OUT else []
            if category in (TIED, CUT_OUT):
                scores = random.choices([-1.0, -2.0], k=len(made))
            else:
                scores = [-float(at) for at in random.sample(range(40), len(made))]
            singles = [one for one in sorted(set(spelled)) if one not in "é\n"]
            normal = normal_pieces([*made, *singles], [*scores, *(-100.0 - at for at in range(len(singles)))])
            normal = [row for row in normal if row[0] not in whole]
            yield encoding(
                category, text, [*BEGIN_PIECES[:1], *byte_pieces("é\n".encode()), *normal, *user_defined(*whole)]
            )
        runs = normal_pieces(["▁" * size for size in range(2, random.randint(4, 8))], [-1.0] * 6)
        text = " " * random.randint(0, 4) + "x" + " " * random.randint(2, 2 + length)
        yield encoding(TIED, text, [*BEGIN_PIECES[:1], *runs, *normal_pieces(["▁", "x"], [-8.0, -9.0])])


PARTS_OF_TEXTS = {
    DIFFER: ["a", "b", "c"],
    TIED: ["a", "b"],
    SPACES: [" ", "a", "b"],
    FALLBACK: ["a", "b", "é", "\n"],
    CUT_OUT: ["<", "<a", "<ab", "ab>", "a", "b"],
}
WORDS, FIRST, SPELLED, PARTS, LEFT_OUT, UNKNOWNS = (
    "words",
    "the beginning of a text",
    "bytes of whole characters",
    "bytes of parts of characters",
    "CONTROL pieces",
    "UNKNOWN pieces",
)
DECODED = [
    *BEGIN_PIECES,
    *normal_pieces(["▁", "▁▁", "▁a", "b", "c▁", "é"]),
    *user_defined("<t>", "▁<u>"),
    *byte_pieces(b" \n" + "€😀▁".encode()),
]


def row_of(category, *parts):
    """Return a case of ids for these pieces (str) and bytes of a text (bytes), in a model that has just the pieces."""
    names = []
    for part in parts:
        names += [part] if isinstance(part, str) else [f"<0x{byte:02X}>" for byte in part]
    pieces = [row for row in DECODED if row[0] in ("<unk>", *names)]
    number = {piece: i for i, (piece, _, _) in enumerate(pieces)}
    return Case(category, (), (*attributes(pieces), ("decode", ([number[name] for name in names],))))


def rows_of_ids(random):
    usual, signals = ["▁", "▁▁", "▁a", "b", "c▁", "é", "<t>", "▁<u>"], ["<s>", "</s>"]
    whole = [b" ", b"\n", "€".encode(), "😀".encode(), "▁".encode()]
    for length in range(1, 8):
        some = random.choices(usual, k=length)
        yield row_of(WORDS, "b", *some)
        yield row_of(FIRST, random.choice(["▁", "▁▁", "▁a", "▁<u>"]), "▁a", *some)
        yield row_of(FIRST, random.choice(whole), random.choice(["▁", "▁a"]), *some)
        yield row_of(SPELLED, "b", *random.choices([*whole, *usual], k=length), *whole[2:4], "b")
        cut = random.choice(["€", "😀"]).encode()
        yield row_of(PARTS, *some, cut[: random.randint(1, len(cut) - 1)], "▁a", *some)
        yield row_of(PARTS, cut[random.randint(1, len(cut) - 1) :], b"\n", *some)
        yield row_of(LEFT_OUT, "<s>", *some, "</s>", *random.choices([*signals, *usual], k=length))
        yield row_of(LEFT_OUT, cut[:2], "</s>", cut[2:], *some)
        yield row_of(UNKNOWNS, *some, "<unk>", *random.choices(["<unk>", *usual], k=length))


ANY = [("<unk>", 0.0, UNKNOWN), *normal_pieces(["▁a", "ab", "▁", "a", "b"])]

EXERCISES = (
    Exercise(
        "06.PieceTokenizer.from_model",
        "Make a tokenizer from a model file",
        "write",
        answer=PieceTokenizer,
        difficulty=2,
        minutes=4,
        points=2,
        hints=(
            "Which of the four attributes does each kind of piece belong in?",
            "Lesson 06, section 4, has the kinds and their numbers; section 7 has the names of byte pieces.",
            "t = cls(); t.pieces = read_pieces(data); go through enumerate(t.pieces): kind 6 goes into byte_ids under "
            "int(piece[3:5], 16), kinds 1 and 4 into ids, kind 4 into user_defined, too; return t",
        ),
        wanted=PieceTokenizer,
        shown=(
            reading(PLAIN, normal_pieces(["a", "▁b"])),
            reading(SIGNALS, [*BEGIN_PIECES, *normal_pieces(["a"])]),
            reading(BYTES, [*BEGIN_PIECES[:1], *byte_pieces(b"\n\xc3"), *normal_pieces(["a"])]),
            reading(WHOLE, [*normal_pieces(["a"]), *user_defined("<b>", "<table>")]),
        ),
        drawn=files,
        mistakes=(
            Mistake(
                "returns-none",
                "A class method that makes an object has to return it: end with return tokenizer.",
                like=("return tokenizer", "return None"),
            ),
            Mistake(
                "every-piece-in-ids",
                "A text must not turn into every piece. Only NORMAL and USER_DEFINED pieces belong in ids.",
                like=("rows if kind in (NORMAL, USER_DEFINED)}", "rows}"),
            ),
            Mistake(
                "signals-in-ids",
                "UNKNOWN and CONTROL pieces are in your ids, so a text could turn into a signal. Leave them out.",
                like=("rows if kind in (NORMAL, USER_DEFINED)}", "rows if kind != BYTE}"),
            ),
            Mistake(
                "user-defined-not-in-ids",
                "A text can turn into a USER_DEFINED piece, so it needs an entry in ids, too.",
                like=("rows if kind in (NORMAL, USER_DEFINED)}", "rows if kind == NORMAL}"),
            ),
            Mistake(
                "bytes-by-place",
                "Byte pieces may be anywhere in the file. Their names say which byte it is: <0x0A> is 10.",
                like=("{int(piece[3:5], 16): i", "{i - 3: i"),
            ),
            Mistake(
                "names-as-bytes",
                "The keys of byte_ids are numbers from 0 to 255, not pieces: int(piece[3:5], 16).",
                like=("{int(piece[3:5], 16): i", "{piece: i"),
            ),
            Mistake(
                "longest-first",
                "Keep the USER_DEFINED pieces in the order of their ids. Choose the longest in encode.",
                like=(
                    "return tokenizer",
                    "tokenizer.user_defined.sort(key=len, reverse=True)\n        return tokenizer",
                ),
            ),
        ),
    ),
    Exercise(
        "06.PieceTokenizer.encode",
        "Encode as sentencepiece does",
        "match",
        answer=PieceTokenizer,
        difficulty=4,
        minutes=12,
        points=4,
        hints=(
            "There are four steps: rewrite the spaces, cut the text into symbols, merge, look up ids. Write and try "
            "them one at a time.",
            "Lesson 06: section 5 for the spaces, section 6 for which merge comes next, section 7 for USER_DEFINED "
            "pieces and bytes.",
            "symbols: the longest USER_DEFINED piece that begins here, or one character. Then repeat: look at all "
            "neighbors that are not USER_DEFINED and whose joined text is in ids; of these take the first with the "
            "highest score, pieces[ids[joined]][1]; put the joined text in place of the two. At the end, ids[symbol], "
            "or byte_ids of symbol.encode('utf-8')",
        ),
        wanted=Reference,
        shown=(
            encoding(DIFFER, "b", ANY),
            encoding(
                DIFFER, "ab", [*ANY[:1], *normal_pieces(["▁", "a", "b", "ab", "▁a"], [-7.0, -8.0, -9.0, -1.0, -3.0])]
            ),
            encoding(NOTHING, "", ANY),
            encoding(TIED, "aaa", [*ANY[:1], *normal_pieces(["a", "▁", "aa"], [-8.0, -9.0, -1.0])]),
            encoding(SPACES, "a a", ANY),
            encoding(FALLBACK, "é", [*ANY, *byte_pieces("é".encode())]),
            encoding(CUT_OUT, "a<b>", [*ANY, *user_defined("<b>")]),
        ),
        drawn=texts,
        mistakes=(
            Mistake(
                "no-prefix",
                "sentencepiece puts one ▁ in front of the text. Then its first word is a piece like ▁a, too.",
                like=('"▁" + text.replace', "text.replace"),
            ),
            Mistake(
                "prefix-for-nothing",
                "An empty text has no ids: put ▁ in front of a text only if there is one.",
                like=(' if text else ""', ""),
            ),
            Mistake(
                "spaces-stay",
                "Pieces contain ▁ and never a space. Replace each space by ▁.",
                like=('text.replace(" ", "▁")', "text"),
            ),
            Mistake(
                "lowest-first",
                "The highest score is merged first: -1 before -2.",
                like=("max(scores, key=scores.get)", "min(scores, key=scores.get)"),
            ),
            Mistake(
                "rightmost",
                "Of tied pairs, the leftmost is merged first. Do you write >= where > is meant?",
                like=("max(scores, key", "max(reversed(scores), key"),
            ),
            Mistake(
                "all-at-once",
                "You merge every occurrence of the best pair. Make one merge, then look at all pairs again: with tied "
                "scores, a longer pair further left may come first.",
                like=(
                    'symbols[at : at + 2] = ["".join(symbols[at : at + 2])]',
                    "pair = symbols[at : at + 2]\n"
                    "            for at in range(len(symbols)):\n"
                    "                if symbols[at : at + 2] == pair:\n"
                    '                    symbols[at : at + 2] = ["".join(pair)]',
                ),
            ),
            Mistake(
                "ids-as-ranks",
                "The lowest id isn't always the best score. Compare the scores, pieces[i][1].",
                like=("self.pieces[i][1] for at", "-i for at"),
            ),
            Mistake(
                "left-to-right",
                "You merge the first pair that is a piece. Look at all pairs, and take the highest score.",
                like=("max(scores, key=scores.get)", "min(scores)"),
            ),
            Mistake(
                "no-user-defined",
                "A USER_DEFINED piece is taken whole, before anything merges.",
                like=("if text.startswith(piece)]", "if False]"),
            ),
            Mistake(
                "first-not-longest",
                "Several USER_DEFINED pieces can begin at the same place. Take the longest.",
                like=("max(fitting, key=len, default=text[0])", "(fitting or text)[0]"),
            ),
            Mistake(
                "user-defined-joins",
                "A USER_DEFINED piece never joins a neighbor, even if the two spell a piece.",
                like=(" if whole.isdisjoint(symbols[at : at + 2])", ""),
            ),
            Mistake(
                "byte-fallback-missing",
                "A character without a piece isn't left out: it becomes the ids of its UTF-8 bytes.",
                like=("spelled.get(one) or [self.ids[one]]", "([self.ids[one]] if one in self.ids else [])"),
            ),
        ),
    ),
    Exercise(
        "06.PieceTokenizer.decode",
        "Decode as sentencepiece does",
        "match",
        answer=PieceTokenizer,
        difficulty=3,
        minutes=8,
        points=3,
        hints=(
            "Bytes have to wait until you know which byte comes next. When do you know that no more will come?",
            "Lesson 06, the end of section 7: the rows of pieces that sentencepiece decodes there.",
            "go through the pieces; collect bytes; at any other piece, and at the end, decode the bytes collected so "
            "far. errors='surrogateescape' gives one character from U+DC80 to U+DCFF for each bad byte: put U+FFFD in "
            "its place. Remember whether anything but CONTROL has come, for the first ▁",
        ),
        shown=(
            row_of(WORDS, "▁a", "b", "▁a"),
            row_of(FIRST, "▁▁", "b"),
            row_of(LEFT_OUT, "<s>", "▁a", "</s>"),
            row_of(UNKNOWNS, "b", "<unk>"),
            row_of(SPELLED, "b", "€".encode()),
            row_of(PARTS, "b", "€".encode()[:2]),
        ),
        drawn=rows_of_ids,
        mistakes=(
            Mistake(
                "prefix-stays",
                "Leave out the one ▁ that encode added: the first character of the first piece.",
                like=('(piece.removeprefix("▁") if first else piece)', "piece"),
            ),
            Mistake(
                "all-spaces-stripped",
                "Only one ▁ at the beginning was added by encode. The others are the text's own spaces.",
                like=('piece.removeprefix("▁") if first', 'piece.lstrip("▁") if first'),
            ),
            Mistake(
                "every-prefix-stripped",
                "Only the first piece loses its ▁. In the others it is a space.",
                like=("first = first and kind == CONTROL", "pass"),
            ),
            Mistake(
                "control-ends-the-beginning",
                "A CONTROL piece is no text, so the first ▁ after it is still the one that encode added.",
                like=("first = first and kind == CONTROL", "first = False"),
            ),
            Mistake(
                "first-space-of-the-text",
                "Remove the ▁ of the first piece, not the first space of the text: a space that was spelled as a byte, "
                "or that belongs to an unknown piece, stays.",
                like=(
                    ('(piece.removeprefix("▁") if first else piece)', "piece"),
                    ("return text", 'return text.removeprefix(" ")'),
                ),
            ),
            Mistake(
                "control-is-spelled",
                "CONTROL pieces are signals, not text. They decode to nothing.",
                when=lambda case, outcome, wanted: "s>" in outcome.value[-1],
                like=('CONTROL: "", ', ""),
            ),
            Mistake(
                "unknown-by-name",
                "An UNKNOWN piece doesn't decode to its name, but to ⁇ (U+2047) between two spaces.",
                like=('UNKNOWN: " \\u2047 ", ', ""),
            ),
            Mistake(
                "byte-by-byte",
                "The bytes of a character are decoded together: wait until a piece comes that isn't a byte.",
                like=(
                    "waiting += bytes([int(piece[3:5], 16)])",
                    'text += bytes([int(piece[3:5], 16)]).decode("utf-8", errors="replace")',
                ),
            ),
            Mistake(
                "one-for-several",
                "Python's errors='replace' writes one U+FFFD for a character that is cut off; sentencepiece writes one "
                "for each of its bytes.",
                like=('errors="surrogateescape"', 'errors="replace"'),
            ),
            Mistake(
                "bad-bytes-dropped",
                "A byte that isn't part of a character isn't left out: it becomes U+FFFD.",
                like=('errors="surrogateescape"', 'errors="ignore"'),
            ),
            Mistake(
                "joined-across-control",
                "Only bytes that follow one another make a character. Any piece between them ends it, even a CONTROL "
                "piece.",
                like=(
                    "if kind == BYTE:",
                    "if kind == CONTROL and piece:\n                continue\n            if kind == BYTE:",
                ),
            ),
            Mistake(
                "last-bytes-lost",
                "At the end of the ids, bytes may still be waiting. Decode them, too.",
                like=('[*(self.pieces[i] for i in ids), ("", 0.0, CONTROL)]', "[self.pieces[i] for i in ids]"),
            ),
            Mistake(
                "mark-of-bytes",
                "A ▁ that was spelled in bytes is a ▁ of the text. Only the ▁ of pieces become spaces.",
                like=(
                    ('.replace("▁", " ")', ""),
                    ("return text", 'return text.replace("▁", " ")'),
                ),
            ),
        ),
    ),
)
