"""Exercise 02.vocabulary: the bytes of each id."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.samples import SCRIPTS, draw_text
from minbpe_course.learning.exercises.lesson_02.train_merges import learn_merges


def vocabulary(merges):
    """Return a dict from each id to its bytes: the 256 single bytes, and what each merge joins.

    Merges say which ids become a new one. Decoding needs the other direction: which bytes does an id stand for?

    * **In:** `merges`, a dict from pair to new id, in the order learned.
    * **Out:** a dict from id to `bytes`: 0 to 255 are the single bytes, and each new id has the bytes of its two
      halves, joined. A half may be the new id of an earlier merge.

    For example, `vocabulary({(97, 98): 256, (256, 99): 257})` has 258 entries. Three of them are `97: b"a"`,
    `256: b"ab"` and `257: b"abc"`.

    Tried: merges of merges, bytes that are not text, and no merges.
    """
    vocab = {byte: bytes([byte]) for byte in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


def cases(random):
    yield "no merges", {}
    yield "one merge", {(random.randrange(256), random.randrange(256)): 256}
    for letters in SCRIPTS:
        text = draw_text(random, letters, 30)
        yield "merges of merges", learn_merges(text, random.randrange(4, 12))


EXERCISE = Exercise(
    "02.vocabulary",
    "The bytes of each id",
    "write",
    answer=vocabulary,
    difficulty=1,
    minutes=4,
    points=1,
    hints=(
        "The first 256 ids are the bytes. After that, each merge adds one entry, made of two that you already have.",
        'Lesson 02, section 2, where you ask what an id means. `bytes([97])` is `b"a"`.',
        "begin with a dict of the 256 single bytes; for each merge, in order: the bytes of the new id are those of the "
        "left half, plus those of the right half; return the dict",
    ),
    shown=(
        ("one merge", {(97, 98): 256}),
        ("merges of merges", {(97, 98): 256, (256, 99): 257}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "bytes-of-a-length",
            "`bytes(97)` is 97 zero bytes. The single byte 97 is `bytes([97])`, with a list.",
            when=lambda case, outcome, wanted: outcome.state == "refused" or outcome.value[97] == bytes(97),
            like=("bytes([byte])", "bytes(byte)"),
        ),
        Mistake(
            "without-the-bytes",
            "The ids 0 to 255 are missing from your dict. They stand for the single bytes.",
            like=("return vocab", "return {new_id: vocab[new_id] for new_id in merges.values()}"),
        ),
        Mistake(
            "from-bytes-to-id",
            "Your dict has the bytes as keys. The ids are the keys here: id -> bytes.",
            like=("return vocab", "return {token: token_id for token_id, token in vocab.items()}"),
        ),
        Mistake(
            "halves-swapped",
            "The left half of the pair comes first.",
            like=("vocab[left] + vocab[right]", "vocab[right] + vocab[left]"),
        ),
        Mistake(
            "only-bytes-as-halves",
            "A half of a pair may be 256 or more, which `bytes([...])` refuses. Look both halves up in your dict.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError",
        ),
        Mistake(
            "characters",
            'An id stands for bytes, not for characters: `b"a"`, not `"a"`. Many tokens are no text by themselves.',
            when=lambda case, outcome, wanted: isinstance(outcome.value[97], str),
        ),
        Mistake(
            "pairs-for-bytes",
            "You store the pair of a new id. Store bytes: those of the left half, plus those of the right half.",
            when=lambda case, outcome, wanted: isinstance(list(outcome.value.values())[-1], (list, tuple)),
        ),
    ),
)
