"""What the exercises of lesson 06 about pieces are tried on: cases, references, and known wrong answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import pairwise
from random import Random
from string import ascii_lowercase, ascii_uppercase

from minbpe_course.checks.exercise import Case
from minbpe_course.corpus.texts import course_sections
from minbpe_course.model import PieceModel
from minbpe_course.reference import pieces as reference
from minbpe_course.text.normalize import LongestMatch

# ----------------------------------------------------------------------------------------------------
# From symbols to ids


def fall_back(symbols: list[str], piece_ids: dict[str, int], unk_id: int) -> list[int]:
    """Return the ids of symbols: a piece's own, else the ids of its bytes, else ``unk_id``.

    >>> fall_back(["a", "x", "y", "a"], {"a": 7}, 0)
    [7, 0, 0, 7]
    """
    ids: list[int] = []
    for symbol in symbols:
        if symbol in piece_ids:
            ids.append(piece_ids[symbol])
        elif "<0x00>" in piece_ids:
            ids.extend(piece_ids[f"<0x{byte:02X}>"] for byte in symbol.encode())
        else:
            ids.append(unk_id)
    return ids


def fall_back_planted(symbols: list[str], piece_ids: dict[str, int], unk_id: int) -> list[int]:
    """The published mistake: a byte below 16 has one digit."""
    return _spelt(symbols, piece_ids, unk_id, [f"<0x{byte:X}>" for byte in range(256)])


def fall_back_lower(symbols: list[str], piece_ids: dict[str, int], unk_id: int) -> list[int]:
    """Write the digits of a byte in lower case, and take what is not found for unknown."""
    return _spelt(symbols, piece_ids, unk_id, [f"<0x{byte:02x}>" for byte in range(256)])


def _spelt(symbols: list[str], piece_ids: dict[str, int], unk_id: int, names: list[str]) -> list[int]:
    ids: list[int] = []
    for symbol in symbols:
        if symbol in piece_ids or "<0x00>" not in piece_ids:
            ids.append(piece_ids.get(symbol, unk_id))
        else:
            ids += [piece_ids.get(names[byte], unk_id) for byte in symbol.encode()]
    return ids


def fall_back_code_points(symbols: list[str], piece_ids: dict[str, int], unk_id: int) -> list[int]:
    """Take the code point of a character for its byte."""
    ids: list[int] = []
    for symbol in symbols:
        if symbol in piece_ids or "<0x00>" not in piece_ids:
            ids.append(piece_ids.get(symbol, unk_id))
        else:
            ids += [piece_ids.get(f"<0x{ord(character):02X}>", unk_id) for character in symbol]
    return ids


BYTE_IDS = {f"<0x{byte:02X}>": byte + 3 for byte in range(256)}


def symbol_cases(random: Random) -> Iterator[Case]:
    """Yield symbols with vocabularies that have byte pieces or none."""
    known = {"▁": 300, "▁a": 301, "b": 302, "中": 303}
    for length in range(1, 10):
        symbols = [random.choice(["▁", "▁a", "b", "中"]) for _ in range(length)]
        yield Case("every symbol is a piece", (symbols, {**BYTE_IDS, **known}, 0))
    for length in range(1, 16):
        symbols = [random.choice(["▁a", "ž", "😀", "b", "q"]) for _ in range(length)]
        yield Case("bytes from 16 up", (symbols, {**BYTE_IDS, **known}, 0))
        symbols = [random.choice(["▁a", "\n", "\t", "\0", "b"]) for _ in range(length)]
        yield Case("bytes below 16", (symbols, {**BYTE_IDS, **known}, 0))
        symbols = [random.choice(["▁a", "ž", "\n", "b"]) for _ in range(length)]
        yield Case("a model without byte pieces", (symbols, known, 0))


def encode_by_score(text: str, scores: dict[str, float], whole: list[str]) -> list[str]:
    """Return the pieces of a normalised text; ``whole`` lists pieces that are cut out first and never join.

    >>> encode_by_score("aab<s>b", {"ab": -1.0, "aa": -2.0, "s>": 0.0}, ["<s>"])
    ['a', 'ab', '<s>', 'b']
    """
    table = {piece: score for piece, score in scores.items() if piece not in whole}
    pieces = ("<unk>", *table, *whole)
    kinds = (2, *[1] * len(table), *[4] * len(whole))
    model = PieceModel(pieces, (0.0, *table.values(), *[0.0] * len(whole)), kinds)
    *_, last = reference.encode_steps(text, model, LongestMatch(piece.encode() for piece in whole))
    return list(last.symbols)


def score_cases(random: Random) -> Iterator[Case]:
    """Yield texts with the pieces that may join in them."""
    for one_in_another in (["<s>", "<s>>"], ["<s>>", "<s>"]):
        yield Case("pieces that never join", ("<s>>", {}, one_in_another))
    for length in [*range(0, 30), 60, 120]:
        letters = random.choice(("ab", "abc▁", "aé▁", "中文▁a"))
        text = "".join(random.choice(letters) for _ in range(length))
        cuts = [text[at : at + size] for at in range(length) for size in (2, 3, 4) if at + size <= length]
        pieces = random.sample(sorted(set(cuts)), min(len(set(cuts)), 12))
        ties = random.random() < 0.5
        scores = {piece: -float(random.randrange(3) if ties else at) for at, piece in enumerate(pieces)}
        category = "tied scores" if ties else "scores that differ"
        whole: list[str] = []
        if length > 4 and random.random() < 0.4:
            category, whole = "pieces that never join", sorted({random.choice(cuts), random.choice(cuts)})
        yield Case(category if length else "empty text", (text, scores, whole))


def rightmost(text: str, scores: dict[str, float], whole: list[str]) -> list[str]:
    """Prefer the rightmost of equal scores."""
    return _encode_plainly(text, scores, whole, rightmost=True)


def ignores_whole(text: str, scores: dict[str, float], whole: list[str]) -> list[str]:
    """Forget the pieces that never join."""
    return encode_by_score(text, scores, [])


def lowest_score(text: str, scores: dict[str, float], whole: list[str]) -> list[str]:
    """Take the lowest score first."""
    return encode_by_score(text, {piece: -score for piece, score in scores.items()}, whole)


def longest_match(text: str, scores: dict[str, float], whole: list[str]) -> list[str]:
    """Cut off the longest piece, from left to right."""
    found, at = [], 0
    while at < len(text):
        size = max((len(piece) for piece in (*scores, *whole) if text.startswith(piece, at)), default=1)
        found.append(text[at : at + size])
        at += size
    return found


def all_at_once(text: str, scores: dict[str, float], whole: list[str]) -> list[str]:
    """Merge all places of the best pair at once."""
    return _encode_plainly(text, scores, whole, everywhere=True)


def _encode_plainly(
    text: str, scores: dict[str, float], whole: list[str], *, rightmost: bool = False, everywhere: bool = False
) -> list[str]:
    symbols = reference.split_symbols(text, LongestMatch(piece.encode() for piece in whole))
    while True:
        pairs = [
            (scores[left.text + right.text], at if rightmost else -at, left.text + right.text)
            for at, (left, right) in enumerate(pairwise(symbols))
            if not left.frozen and not right.frozen and left.text + right.text in scores
        ]
        if not pairs:
            return [symbol.text for symbol in symbols]
        _, place, joined = max(pairs, key=lambda pair: pair[:2])
        at = abs(place)
        if not everywhere:
            symbols[at : at + 2] = [reference.Symbol(joined)]
            continue
        merged: list[reference.Symbol] = []
        for symbol in symbols:
            if merged and merged[-1].text + symbol.text == joined and not merged[-1].frozen and not symbol.frozen:
                merged[-1] = reference.Symbol(joined)
            else:
                merged.append(symbol)
        symbols = merged


# ----------------------------------------------------------------------------------------------------
# A vocabulary of one's own

BUDGET = 40
STORIES, DRAWN = 12, 3  # the sections of the course text that are English prose; how many are asked about
LEARNED, HELD, SHORTEST = 1200, 1100, 1100  # characters


@cache
def _halves() -> dict[str, str]:
    """Return what may be learned from -> what is encoded in the end: the two halves of a section of the course text.

    Only prose that is long enough: with less of it, pairs that merely stand there do as well as pairs that come again.
    """
    halves = {}
    for text in list(course_sections().values())[:STORIES]:
        text = text.replace(" ", "▁").replace("\n", "▁")
        middle = len(text) // 2
        halves[text[:middle][:LEARNED]] = text[middle:][:HELD]
    return {learned: held for learned, held in halves.items() if len(learned) > SHORTEST}


def length_with(text: str, pieces: Sequence[str]) -> int:
    """Return how many pieces a text becomes, the first of ``pieces`` having the best score; a heap finds the next one.

    >>> length_with("aab", ["ab", "aa"]), length_with("aab", [])
    (2, 3)
    """
    ranks = {piece: rank for rank, piece in enumerate(pieces)}
    symbols, number = list(text), len(text)
    after, before = list(range(1, number + 1)), list(range(-1, number - 1))
    heap: list[tuple[int, int, str]] = []

    def meet(at: int) -> None:
        if at >= 0 and after[at] < len(symbols):
            joined = symbols[at] + symbols[after[at]]
            if joined in ranks:
                heappush(heap, (ranks[joined], at, joined))

    for at in range(number):
        meet(at)
    while heap:
        _, at, joined = heappop(heap)
        other = after[at]
        if not symbols[at] or other == len(symbols) or symbols[at] + symbols[other] != joined:
            continue  # one of the two was merged with another neighbour in the meantime
        symbols[at], symbols[other], after[at] = joined, "", after[other]
        if after[at] < len(symbols):
            before[after[at]] = at
        number -= 1
        meet(before[at])
        meet(at)
    return number


def train_pieces(text: str, budget: int) -> list[str]:
    """Return the pieces that byte pair encoding on characters learns, first merge first, without crossing a word.

    >>> train_pieces("▁aab▁aab", 2)
    ['▁a', '▁aa']
    """
    words = [list("▁" + word) for word in text.split("▁") if word]
    pieces: list[str] = []
    while len(pieces) < budget:
        counts: dict[str, int] = {}
        for word in words:
            for left, right in pairwise(word):
                counts[left + right] = counts.get(left + right, 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: counts[pair])
        pieces.append(best)
        for word in words:
            at = 0
            while at + 1 < len(word):
                if word[at] + word[at + 1] == best:
                    word[at : at + 2] = [best]
                at += 1
    return pieces


@cache
def _lengths(learned: str) -> tuple[int, int]:
    """Return how long the other half is without any pieces, and with those of plain byte pair encoding.

    The same in any letters: what stands first in the text wins a tie.
    """
    held = _halves()[learned]
    return len(held), length_with(held, train_pieces(learned, BUDGET))


def shown_half() -> str:
    """Return the half of a section that everybody may look at."""
    return min(_halves(), key=len)


def exchanged(text: str, letters: str) -> str:
    """Return a text with each of the letters a to z exchanged for another, in capitals likewise.

    >>> exchanged("A cab!", "bca" + ascii_lowercase[3:])
    'B abc!'
    """
    return text.translate(str.maketrans(ascii_lowercase + ascii_uppercase, letters + letters.upper()))


def design_cases(random: Random) -> Iterator[Case]:
    """Yield halves of sections to learn from, each in letters of its own: no list made for English fits them."""
    unknown = sorted(learned for learned in _halves() if learned != shown_half())
    for learned in sorted(random.sample(unknown, DRAWN), key=len):
        letters = "".join(random.sample(ascii_lowercase, len(ascii_lowercase)))
        yield Case("a text never seen", (exchanged(learned, letters), BUDGET))


def _shape(text: str) -> tuple[int | str, ...]:
    """What a text keeps in whatever letters: where each letter stands again, and all that is no letter."""
    met: dict[str, int] = {}
    lower = text.lower()
    return tuple(met.setdefault(one, len(met)) if one in _LETTERS else one for one in lower)


_LETTERS = frozenset(ascii_lowercase)


@cache
def _by_shape() -> dict[tuple[int | str, ...], str]:
    return {_shape(learned): learned for learned in _halves()}


def original(learned: str) -> tuple[str, str]:
    """Return the half that this one was before its letters were exchanged, and the letters."""
    before = _by_shape()[_shape(learned)]
    table = {one: other for one, other in zip(before.lower(), learned.lower()) if one in _LETTERS}
    left = iter(sorted(_LETTERS - set(table.values())))  # for letters that do not occur in this half
    return before, "".join(table.get(letter) or next(left) for letter in ascii_lowercase)


def chosen(case: Case, yours: object) -> str | None:
    """Say why a list of pieces may not be used, or None."""
    if not isinstance(yours, (list, tuple)) or not all(isinstance(piece, str) for piece in yours):
        return "a list of pieces, each a str"
    if len(yours) > case.args[1]:
        return f"at most {case.args[1]} pieces; yours are {len(yours)}"
    if len(set(yours)) < len(yours) or not all(1 < len(piece) <= 40 for piece in yours):
        return "different pieces of 2 to 40 characters: single characters cost nothing"
    return None


def saving(cases: tuple[Case, ...], answers: list[list[str]]) -> tuple[float, str | None]:
    """Return how much shorter the other halves become, in percent of what plain byte pair encoding saves."""
    bare = plain = yours = 0
    for case, answer in zip(cases, answers):
        if case.args[0] == shown_half():
            continue  # a list made for the half that everybody sees shows nothing
        learned, letters = original(case.args[0])
        bare, plain = (so_far + more for so_far, more in zip((bare, plain), _lengths(learned)))
        yours += length_with(exchanged(_halves()[learned], letters), answer)
    return 100 * (bare - yours) / (bare - plain), None
