"""How SentencePiece's trainer chooses BPE pieces, readable: no recounting is avoided, every rule is a line.

    sentences      ▁to▁be▁or▁not▁to▁be           normalised text; ▁ is where a space was
    words          ▁to 2   ▁be 2   ▁or   ▁not    cut at ▁, counted
    characters     those that cover 99.95 % of the text are required; others become U+2585, which no piece contains
    pieces         the commonest pair of neighbours, merged everywhere, again and again

The text that a pair spells identifies it: the pieces of some text do not depend on its neighbours, so "the" is made of
the same two pieces everywhere. Of equally common pairs the one with fewer characters wins, then the smaller text in the
order of code points. When no pair is left, pairs that existed earlier are used in the same order: the vocabulary fills
up, but the text does not change.

This is the BPE of sentencepiece 0.2.2 and 0.2.3. Limits: slow on purpose. ``kernels.training.piece_corpus`` and
``kernels.training.piece_training`` are the compiled versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from minbpe_course.model.piece_training_rules import BORDER, DIGITS, RARE, SPACE, PieceRules
from minbpe_course.text.normalize import LongestMatch, character_length
from minbpe_course.text.unicode_tables import INHERITED, scripts


@dataclass(frozen=True)
class PieceStep:
    """One step of training: ``left`` and ``right`` stood side by side ``count`` times and became ``piece``.

    They are empty for a pair that no longer occurs.
    """

    piece: str
    count: int
    left: str = ""
    right: str = ""


def may_be_piece(piece: str, rules: PieceRules) -> bool:
    """Return whether a text of two or more characters may be a piece.

    >>> [may_be_piece(text, PieceRules()) for text in ("▁the", "the▁", "F1", "2024", "naïve", "カタかな")]
    [True, False, False, True, True, True]
    """
    if len(piece) > rules.max_sentencepiece_length or {RARE, BORDER, "\0"} & set(piece):
        return False
    if rules.split_digits and DIGITS & set(piece):
        return False
    return _spaces_are_right(piece, rules) and (not rules.split_by_unicode_script or _is_of_one_script(piece, rules))


def _spaces_are_right(piece: str, rules: PieceRules) -> bool:
    if rules.allow_whitespace_only_pieces and set(piece) == {SPACE}:
        return True
    # If the text is cut at spaces, a space is at one end of a piece; else it may be inside, and at that end.
    first_is_right = not rules.treat_whitespace_as_suffix
    without = piece[1:] if first_is_right else piece[:-1]
    forbidden = without if rules.split_by_whitespace else without[-1:] if first_is_right else without[:1]
    return SPACE not in forbidden


def _is_of_one_script(piece: str, rules: PieceRules) -> bool:
    script = None
    for character in piece.replace(SPACE, ""):
        own: int | None = int(scripts()[ord(character)])
        if own == INHERITED:
            own = script
        if not rules.split_by_number and character in DIGITS:
            own = None  # goes with everything, and so does what follows it
        if script is not None and own is not None and own != script:
            return False
        script = own
    return True


def hide_reserved(sentence: bytes, reserved: LongestMatch) -> bytes:
    r"""Replace every reserved piece in a normalised sentence by U+001F.

    >>> hide_reserved(b"a<s>b", LongestMatch([b"<s>", b"</s>"]))
    b'a\x1fb'
    """
    out = bytearray()
    at = 0
    while at < len(sentence):
        found = reserved.length(sentence, at)
        length = found or character_length(sentence, at)
        out += BORDER.encode() if found else sentence[at : at + length]
        at += length
    return bytes(out)


def cut_words(sentence: str, rules: PieceRules) -> list[str]:
    """Cut a normalised sentence into the words that no piece crosses.

    >>> cut_words("▁to▁be", PieceRules()), cut_words("to▁be▁", PieceRules(treat_whitespace_as_suffix=True))
    (['▁to', '▁be'], ['to▁', 'be▁'])
    >>> cut_words("▁a▁▁b", PieceRules(allow_whitespace_only_pieces=True))
    ['▁a', '▁▁b']
    """
    if not rules.split_by_whitespace:
        return [sentence] if sentence else []
    words: list[str] = []
    before = ""
    for character in sentence:
        here, there = (before, character) if rules.treat_whitespace_as_suffix else (character, before)
        # A run of spaces stays together where pieces of spaces alone are allowed.
        if not words or (here == SPACE and not (rules.allow_whitespace_only_pieces and there == SPACE)):
            words.append("")
        words[-1] += character
        before = character
    return words


def count_characters(words: Mapping[str, int]) -> dict[str, int]:
    """Return how often each character occurs, weighted by word.

    >>> count_characters({"▁to": 2, "▁o": 1})
    {'▁': 3, 't': 2, 'o': 3}
    """
    counts: dict[str, int] = {}
    for word, count in words.items():
        for character in word:
            counts[character] = counts.get(character, 0) + count
    return counts


def train_steps(words: Mapping[str, int], number: int, rules: PieceRules) -> Iterator[PieceStep]:
    """Yield the merges, at most ``number``. A character that is not required is U+2585 in ``words``.

    >>> [step.piece for step in train_steps({"▁low": 5, "▁lower": 2, "▁newest": 6}, 4, PieceRules())]
    ['we', 'lo', '▁lo', 'ne']
    """
    sequences = [(list(word), count) for word, count in words.items()]
    valid: dict[str, bool] = {}
    candidates: set[str] = set()
    taken: set[str] = set()

    def note(pair: str) -> bool:
        """Return whether the pair may be a piece, and keep it as a candidate even if it vanishes later."""
        if pair not in valid:
            valid[pair] = may_be_piece(pair, rules)
            if valid[pair]:
                candidates.add(pair)
        return valid[pair]

    for _ in range(number):
        counts: dict[str, int] = {}
        parts: dict[str, tuple[str, str]] = {}
        for sequence, count in sequences:
            for left, right in pairwise(sequence):
                if note(left + right):
                    counts[left + right] = counts.get(left + right, 0) + count
                    parts[left + right] = left, right
        left_over = candidates - taken
        if not left_over:
            return
        piece = min(left_over, key=lambda pair: (-counts.get(pair, 0), len(pair), pair))
        taken.add(piece)
        yield PieceStep(piece, counts.get(piece, 0), *parts.get(piece, ()))
        if piece in counts:
            sequences = [(_merged(sequence, piece, note), count) for sequence, count in sequences]


def _merged(sequence: list[str], piece: str, note: Callable[[str], bool]) -> list[str]:
    """Merge from left to right, and note the pairs that exist after each single merge."""
    merged: list[str] = []
    at = 0
    while at < len(sequence):
        if "".join(sequence[at : at + 2]) == piece and sequence[at] != piece:
            if merged:
                note(merged[-1] + piece)
            if at + 2 < len(sequence):
                note(piece + sequence[at + 2])
            merged.append(piece)
            at += 2
        else:
            merged.append(sequence[at])
            at += 1
    return merged


def count_words(sentences: Iterable[bytes], reserved: LongestMatch, rules: PieceRules) -> dict[str, int]:
    """Return how often each word occurs in normalised sentences.

    >>> count_words(["▁to▁be▁or▁not▁to▁be".encode()], LongestMatch(), PieceRules())
    {'▁to': 2, '▁be': 2, '▁or': 1, '▁not': 1}
    """
    words: dict[str, int] = {}
    for sentence in sentences:
        for word in cut_words(hide_reserved(sentence, reserved).decode("utf-8"), rules):
            words[word] = words.get(word, 0) + 1
    return words
