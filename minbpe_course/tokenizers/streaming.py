"""Encoding a text that comes in chunks: the ids of the whole text, without ever holding the whole text.

    chunks     "hel"  "lo wor"  "ld, and so on ..."
    buffer     what is not decided yet:  ... |lo wor|
    given out  every word that no later character can change

Which words are safe? A splitter reads from left to right and looks at most over the run of blanks that follows a
word. With the known patterns a later character can therefore change only the blanks at the very end and the few words
before them: "中A" is two words in o200k_base until a "b" makes it one, and "A'l" is two until an "l" does. HELD_BACK
covers the longest such chain. Any other pattern may look as far ahead as it likes, so then everything waits for the
end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from minbpe_course.corpus.words import Words, repaired
from minbpe_course.errors import NotText
from minbpe_course.tokenizers.engine import BytePairEngine
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens

HELD_BACK = 5

# Characters gathered before the next look; small chunks would otherwise be split again and again.
GATHER = 1 << 16


def encode_chunks(
    chunks: Iterable[str],
    engine: BytePairEngine,
    special_tokens: Mapping[str, int],
    choose: Callable[[str], Mapping[str, int]],
) -> Iterator[int]:
    """Yield the ids of the joined ``chunks``.

    ``choose`` gets the text in hand and returns the special tokens that stand for themselves in it, or raises.
    """
    if isinstance(chunks, str):
        chunks = [chunks]
    bounded = engine.splitter.family is not None
    gathered: list[str] = []
    length, look_at = 0, GATHER
    for chunk in chunks:
        if not isinstance(chunk, str):
            raise NotText(
                f"chunks must be str, got {type(chunk).__name__}; open files as text: open(path, encoding='utf-8')."
            )
        gathered.append(chunk)
        length += len(chunk)
        if bounded and length >= look_at:
            buffer = _join(gathered, engine.repair)
            ids, rest = _decided(buffer, engine, special_tokens, choose(buffer))
            yield from ids
            gathered, length = [rest], len(rest)
            # A long undecided rest (a million blanks) is looked at again only when it has doubled.
            look_at = max(GATHER, 2 * length)

    buffer = repaired("".join(gathered)) if engine.repair else "".join(gathered)
    for part, token_id in split_on_special_tokens(buffer, choose(buffer)):
        if token_id is None:
            yield from engine.encode(part).tolist()
        else:
            yield token_id


def _join(gathered: list[str], repair: bool) -> str:
    buffer = "".join(gathered)
    if not repair or not buffer:
        return buffer
    # The first half of a surrogate pair waits at the end for the second.
    split = len(buffer) - ("\ud800" <= buffer[-1] <= "\udbff")
    return repaired(buffer[:split]) + buffer[split:]


def _decided(
    buffer: str, engine: BytePairEngine, special_tokens: Mapping[str, int], allowed: Mapping[str, int]
) -> tuple[list[int], str]:
    """Return the ids that are decided and the text that is not."""
    # A special token that starts after this may be cut off, or be the beginning of a longer one.
    limit = len(buffer) - max(map(len, special_tokens), default=1)
    ids: list[int] = []
    done = 0
    parts = list(split_on_special_tokens(buffer, allowed))
    for number, (part, token_id) in enumerate(parts):
        if token_id is not None:
            if done > limit:
                break
            ids.append(token_id)
            done += len(part)
        elif number + 1 < len(parts) and done + len(part) <= limit:
            # The special token behind this text is decided, so the text is too.
            ids.extend(engine.encode(part).tolist())
            done += len(part)
        else:
            for run in _safe_runs(part[: max(limit - done, 0)], engine):
                ids.extend(engine.encode_run(run).tolist())
                done += len(run.text[run.start : run.ends[run.number - 1]].tobytes().decode("utf-8"))
            break
    return ids, buffer[done:]


def _safe_runs(text: str, engine: BytePairEngine) -> Iterator[Words]:
    """The words of ``text`` that stay as they are whatever follows."""
    runs = list(engine.splitter.runs(text)) if text else []
    blanks_from = len(text.rstrip().encode("utf-8"))
    unsafe = HELD_BACK
    kept: list[Words] = []
    for run in reversed(runs):
        number = run.number
        while number and run.ends[number - 1] > blanks_from:
            number -= 1
        held = min(unsafe, number)
        unsafe -= held
        if number - held:
            kept.append(run._replace(number=number - held))
    return reversed(kept)
