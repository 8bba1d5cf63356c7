"""The exercises of lesson 04: merges out of ranks, the shuffled bytes, and the files they come in.

    byte_order        fill      which byte the ids 0, 1, 2 … stand for
    byte_alphabet     write     GPT-2's printable characters, out of nothing but that order
    encode_shuffled   write     a word to published ids
    ranks_from_bpe    repair    a reader of vocab.bpe that loses a merge
    recover_merges    match     merges of vocabularies that nobody has seen
    test_recover      test      tells the right recovery from ten wrong ones
    training_text     design    the smallest text behind a vocabulary

The order of ``byte_order`` and the pairs of ``recover_merges`` are what ``encode_shuffled`` takes. Cases and references
are in ``cases`` and ``answers``, the impostors of the test in ``impostors``.
"""

from __future__ import annotations

from typing import Any

from minbpe_course.checks.equality import same
from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.checks.lesson_04 import answers, cases, impostors

TINY = {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4}
LETTERS = {97: "a", 98: "b", 99: "c"}
OLDEST_PARTS = "Of the possible cuts you take the one with the oldest parts. Training did not choose by that."
SIGNS = {35: "#", 32: "\u0120"}


def _either(case: Case, answer: Any) -> str | None:
    """Take bytes for a list of bytes."""
    listed = list(answer) if isinstance(answer, bytes) else answer
    return None if same(listed, answers.order_of(case.args[0])) else ""


def _raised(error: str) -> Any:
    return lambda case, outcome, wanted: outcome.error == error


def _strings(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return isinstance(outcome.value, (list, tuple)) and any(isinstance(word, str) for word in outcome.value)


def _loses_a_later_header(case: Case, outcome: Outcome, wanted: Any) -> bool:
    later = case.args[0].split("\n")[1:]
    return len(outcome.value) < len(wanted) and any(line.startswith("#version") for line in later)


def _has_header(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return isinstance(outcome.value, dict) and any(
        isinstance(token, bytes) and token.startswith(b"#version") for token in outcome.value
    )


EXERCISES = (
    Exercise(
        key="04.byte_order",
        title="Read the shuffle",
        kind="fill",
        entry="byte_order",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "The ids tell the order. Sort the single bytes by something.",
            "sort singles by ranks[token]; of each token take the only byte in it, token[0]",
            'Lesson 04, "The bytes are shuffled": the cell that draws the map begins with this very list.',
        ),
        wanted=answers.order_of,
        accept=_either,
        shown=(
            Case("three bytes", ({b"a": 1, b"b": 2, b"c": 0},)),
            Case("merged tokens as well", ({b"b": 0, b"c": 1, b"a": 2, b"bc": 3},)),
        ),
        drawn=cases.order_cases,
        mistakes=(
            Mistake(
                "byte-to-id",
                "That is the table for the other direction: the id of each byte. Wanted is the byte of each id.",
                like=lambda ranks: [ranks[token] for token in sorted(ranks) if len(token) == 1],
            ),
            Mistake(
                "dictionary-order",
                "You follow the order in which the dictionary lists its tokens. What counts is their rank.",
                like=lambda ranks: [token[0] for token in ranks if len(token) == 1],
            ),
            Mistake(
                "by-byte",
                "Sorted by the bytes themselves, every order looks natural. Sort by rank.",
                like=lambda ranks: sorted(token[0] for token in ranks if len(token) == 1),
            ),
            Mistake(
                "tokens-not-bytes",
                "These are tokens of one byte. The byte itself, a number, is token[0].",
                like=lambda ranks: [token for token in sorted(ranks, key=ranks.__getitem__) if len(token) == 1],
            ),
        ),
    ),
    Exercise(
        key="04.byte_alphabet",
        title="The alphabet behind the order",
        kind="write",
        entry="byte_alphabet",
        difficulty=2,
        minutes=15,
        points=2,
        hints=(
            "Follow the order with a finger. The bytes grow, and at one place they do not: what begins there?",
            "visible = the first place at which order[place] < order[place - 1], or len(order) when there is none; "
            "before it chr(byte), from it on chr(256 + place - visible)",
            'Lesson 04, "Where the shuffle comes from": it goes from the alphabet to the order. You go back.',
        ),
        wanted=answers.alphabet_of,
        shown=(
            Case("a few bytes", ([65, 97, 10, 32],)),
            Case("a gap that is no descent", ([33, 34, 120, 0],)),
            Case("nothing is hidden", ([7, 8, 9],)),
        ),
        drawn=cases.alphabet_cases,
        mistakes=(
            Mistake(
                "borrows-by-byte",
                "Hidden bytes borrow characters one after another, without gaps: the first of them gets U+0100.",
                like=answers.borrows_by_byte,
            ),
            Mistake(
                "borrows-by-id",
                "You count borrowed characters from the beginning of the order. Count from the first hidden byte.",
                like=answers.borrows_by_id,
            ),
            Mistake(
                "gap-for-descent",
                "A gap does not end the visible bytes: after ~ (126) GPT-2 goes on with ¡ (161). Look for a descent.",
                like=answers.hides_after_a_gap,
            ),
            Mistake(
                "gpt2-always",
                "That is GPT-2's alphabet, whatever the order says. Somebody else may call other bytes visible.",
                like=answers.gpt2_always,
            ),
            Mistake(
                "nothing-hidden",
                "Here every byte shows as itself. Those behind the descent borrow characters from U+0100 on.",
                like=lambda order: {byte: chr(byte) for byte in order},
            ),
        ),
    ),
    Exercise(
        key="04.encode_shuffled",
        title="From a word to published ids",
        kind="write",
        entry="encode_shuffled",
        difficulty=2,
        minutes=15,
        points=2,
        hints=(
            "`order` answers: which byte has id 3? You have to ask: which id has byte 97?",
            "ids = the place in order of each byte of word.encode(); then merge as in lesson 02: as long as some pair "
            "is among the merges, the one with the lowest rank, whose new id is len(order) + rank",
            'Lesson 04, "The bytes are shuffled": `byte_ids`, and the cell under it.',
        ),
        wanted=answers.encode,
        shown=(
            Case("two merges", ("abc", [98, 99, 97], [(0, 1), (2, 3)])),
            Case("no merges", ("ab", [98, 97], [])),
            Case("merges that compete", ("aab", [97, 98], [(0, 1), (0, 0)])),
            Case("letters of many scripts", ("é", [0xA9, 0xC3], [])),
        ),
        drawn=cases.encode_cases,
        mistakes=(
            Mistake(
                "id-is-byte",
                "You begin with the bytes themselves. Here the id of a byte is its place in order.",
                like=answers.encode_unshuffled,
            ),
            Mistake(
                "wrong-direction",
                "order[n] is the byte that has the id n. Wanted is the id that a byte has: the table the other way.",
                like=answers.encode_backwards,
            ),
            Mistake(
                "merges-from-256",
                "New ids follow the single bytes, and here there are fewer than 256 of these: len(order) + rank.",
                like=answers.encode_from_256,
            ),
            Mistake(
                "merges-from-0",
                "Your merge of rank 0 makes the id 0, which is a byte already. It makes the first id behind the bytes.",
                like=answers.encode_from_0,
            ),
            Mistake(
                "leftmost-pair",
                "You merge the first pair that can merge. The lowest rank goes first, wherever it stands.",
                like=answers.encode_by_place,
            ),
            Mistake(
                "characters",
                "You look up characters. A letter beyond ASCII is several bytes, and each byte has an id.",
                like=answers.encode_characters,
            ),
        ),
    ),
    Exercise(
        key="04.ranks_from_bpe",
        title="The file that loses a merge",
        kind="repair",
        entry="ranks_from_bpe",
        difficulty=3,
        minutes=15,
        points=2,
        hints=(
            "Count: how many merges does the file have, and how many are in your ranks? Which one is missing?",
            "take the first line away only when it begins with #version; take empty lines away; keep all others",
            'Lesson 04, "The judge: GPT-2\'s own merges, and a fingerprint" shows the first lines of such a file.',
        ),
        wanted=answers.read_file,
        planted=answers.read_between,
        shown=(
            Case("header and last line break", ("#version: 0.2\na b\nab c\n", LETTERS)),
            Case("no line break at the end", ("#version: 0.2\na b\nab c", LETTERS)),
            Case("no header", ("a b\nab c\n", LETTERS)),
            Case("merges with number signs", ("#version: 0.2\n# #\n\u0120 ##\n", SIGNS)),
        ),
        drawn=cases.file_cases,
        mistakes=(
            Mistake(
                "drops-number-signs",
                "A merge may begin with a number sign, such as `# #`. Only a first line `#version` is no merge.",
                like=answers.read_without_comments,
            ),
            Mistake(
                "drops-every-header",
                "Only the first line can be the version. A later line that begins with `#version` is a merge.",
                when=_loses_a_later_header,
            ),
            Mistake(
                "first-still-lost",
                "A file without the line `#version` still loses its first merge.",
                like=answers.read_after_first,
            ),
            Mistake(
                "last-still-lost",
                "A file that does not end in a line break still loses its last merge.",
                like=answers.read_to_the_last,
            ),
            Mistake("header-is-a-token", "The line `#version: 0.2` has become a token.", when=_has_header),
            Mistake(
                "header-is-read",
                "The line `#version: 0.2` is read as a merge. It is none, and it is not in every file.",
                when=lambda case, outcome, wanted: outcome.error == "KeyError" and case.args[0].startswith("#version"),
            ),
            Mistake(
                "empty-lines",
                "An empty line has no two parts. Splitting at line breaks leaves one behind the last of them.",
                when=_raised("ValueError"),
            ),
        ),
    ),
    Exercise(
        key="04.recover_merges",
        title="Recover the merges",
        kind="match",
        entry="recover_merges",
        difficulty=4,
        minutes=25,
        points=3,
        hints=(
            "Do not cut the token. Build it up from its bytes, with nothing that was learned later than itself.",
            "for each token by rank: start from its bytes; as long as more than two parts are left, join the pair "
            "whose joined bytes have the lowest rank, the leftmost of equals; then the ids of the two parts",
            'Lesson 04, "The order is the answer".',
        ),
        wanted=answers.recover,
        shown=(
            Case("one merge", ({b"b": 0, b"a": 1, b"ab": 2},)),
            Case("two cuts are possible", ({**TINY, b"ab": 5},)),
            Case("a run of one byte", ({b"a": 0, b"aa": 1, b"aaa": 2, b"aaaa": 3},)),
        ),
        drawn=cases.recover_cases,
        mistakes=(
            Mistake(
                "first-cut",
                "You take the first cut into two older tokens. Several may be possible, and training made only one.",
                like=impostors.IMPOSTORS["first-cut"],
            ),
            Mistake(
                "last-cut",
                "You take the longest token on the left. Several cuts may be possible, and training made only one.",
                like=impostors.IMPOSTORS["last-cut"],
            ),
            Mistake(
                "last-of-equals",
                "In a run like aaa two pairs are equally old. Merging goes from left to right.",
                like=impostors.IMPOSTORS["last-of-equals"],
            ),
            Mistake(
                "oldest-parts",
                OLDEST_PARTS,
                like=impostors.IMPOSTORS["oldest-parts"],
            ),
            Mistake("oldest-parts", OLDEST_PARTS, like=answers.oldest_parts_first),
            Mistake(
                "youngest-pair",
                "You join the pair with the highest rank first. Training began with the lowest.",
                like=impostors.IMPOSTORS["youngest-pair"],
            ),
            Mistake(
                "bytes-are-ids",
                "A byte is not its own id here. ranks knows the id of every part, also of a single byte.",
                like=impostors.IMPOSTORS["bytes-are-ids"],
            ),
            Mistake(
                "dictionary-order",
                "The merges belong in the order of their ranks, not in the order of the dictionary.",
                like=impostors.IMPOSTORS["dictionary-order"],
            ),
            Mistake(
                "bytes-for-ids",
                "These are the two parts as bytes. Wanted are their ids.",
                like=answers.bytes_for_ids,
            ),
            Mistake(
                "not-two-parts",
                "You unpack two parts where there are more or fewer. A single byte has none, and a token must not be "
                "joined to the end: only merges older than itself count.",
                when=_raised("ValueError"),
            ),
        ),
    ),
    Exercise(
        key="04.test_recover",
        title="Ten impostors",
        kind="test",
        entry="test_recover",
        difficulty=4,
        minutes=25,
        points=3,
        hints=(
            "A vocabulary in which every token has one possible cut catches hardly anybody. Find a token with two.",
            "write down merges that training can make, build the ranks from them, and compare: equal, in order, "
            "for bytes in another order, for bytes that are no text, for runs, for a dictionary in another order",
            'Lesson 04, "A first guess, and why it fails" and "The order is the answer".',
        ),
        subject="recover_merges",
        right=impostors.RIGHT,
        mutants=impostors.WRONG,
    ),
    Exercise(
        key="04.training_text",
        title="The smallest text behind a vocabulary",
        kind="design",
        entry="training_text",
        difficulty=5,
        minutes=40,
        points=4,
        hints=(
            "What is learned later cannot disturb what was learned earlier, but its words can: they vote too. "
            "So which token would you settle first?",
            "begin with no words; from the last token to the first: as long as next_merge(words, older tokens) is not "
            "this token, put one more copy of it in front of the words",
            'Lesson 04, "The order is the answer": at the moment when a token is made, it stands there as two parts.',
        ),
        accept=answers.text_complaint,
        shown=(
            Case("two tokens", ([b"ab", b"abc"],)),
            Case("a token that has to be outvoted", ([b"bb", b"aa", b"baa"],)),
            Case("a token that has to be outvoted", ([b"ab", b"cd", b"cde", b"cdf"],)),
        ),
        drawn=cases.text_cases,
        mistakes=(
            Mistake(
                "each-token-once",
                "Each token once is nearly right. But a pair that stands in several younger tokens outvotes the older "
                "one, which then needs another copy.",
                like=lambda tokens: tokens,
            ),
            Mistake(
                "youngest-first",
                "Of equally frequent pairs the first in the text wins, so older tokens belong in front.",
                like=lambda tokens: tokens[::-1],
            ),
            Mistake("strings", "The words have to be bytes, as the tokens are: b'ab', not 'ab'.", when=_strings),
        ),
        measure=answers.text_size,
        levels=((100.0, 4), (130.0, 3), (200.0, 2), (1000.0, 1)),
        unit="% of our own text",
    ),
)
