"""Learning merges from word counts, with a named tie-break rule.

The rules, and the program that each is from (``reference.training`` is the readable version):

    first-seen       minbpe               the pair that occurs first in the text
    greatest-bytes   Stanford's CS336     the pair whose bytes are lexicographically greatest
    smallest-pair    rustbpe              the pair with the smallest ids
    huggingface      tokenizers           the same, with the 256 bytes numbered in Hugging Face's order
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from minbpe_course.counting.count_words import Source
from minbpe_course.counting.word_counter import special_texts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidOption, InvalidSource, InvalidVocabularySize, TrainingStoppedEarly
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.model.byte_pair import IDENTITY_BYTE_ORDER
from minbpe_course.resources.threads import threads_of
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER
from minbpe_course.text.patterns import named_pattern
from minbpe_course.trainers.base_vocabulary import BaseVocabulary
from minbpe_course.trainers.parity import learn_for_parity
from minbpe_course.trainers.phrases import CutPhrases, counted_runs, cut_phrases, encode_phrases, frequent_parts
from minbpe_course.trainers.stages import Stage, stages_of
from minbpe_course.trainers.training_arrays import BYTE_SIZES, TrainingArrays, WordTokens, token_sizes
from minbpe_course.trainers.training_words import (
    DEFAULT_PATTERN,
    TrainingPhrases,
    is_default,
    pattern_of_phrases,
    phrases_of,
    words_of,
)

if TYPE_CHECKING:
    from minbpe_course.counting.bounded import CountProgress

TIE_BREAKS = ("first-seen", "greatest-bytes", "smallest-pair", "huggingface")

# The most merges, and about the most seconds, of one kernel call: then progress is reported, and Ctrl-C is heard.
_STRIDE, _MOST_SECONDS = 1000, 0.1

# A later stage first looks at so many pairs for each of its merges; if these are too few, at so many times more.
_PAIRS_FOR_A_MERGE, _MORE_PAIRS = 2, 8


@dataclass(frozen=True)
class MergeProgress:
    """Merge ``done`` of ``total``: ``pair`` -> ``new_id``, a pair that occurred ``count`` times.

    Its str is the line that minbpe prints with ``verbose=True``.
    """

    done: int
    total: int
    pair: tuple[int, int]
    new_id: int
    token: bytes
    count: int

    def __str__(self) -> str:
        merge = f"{self.pair} -> {self.new_id} ({self.token!r})"
        return f"merge {self.done}/{self.total}: {merge} had {self.count} occurrences"


Progress = Callable[[MergeProgress], object]
Report = Callable[[TrainingArrays, int], object]


def check_vocab_size(vocab_size: int, special_tokens: int = 0) -> None:
    """Raise InvalidVocabularySize unless the size is a whole number that holds the 256 bytes and the special tokens."""
    if isinstance(vocab_size, bool) or not isinstance(vocab_size, (int, np.integer)):
        raise InvalidVocabularySize(f"vocab_size must be a whole number, got {vocab_size!r}.")
    if vocab_size < 256:
        raise InvalidVocabularySize(
            f"vocab_size={vocab_size} cannot hold the 256 bytes that every text is made of; give 256 or more."
        )
    if vocab_size < 256 + special_tokens:
        raise InvalidVocabularySize(
            f"vocab_size={vocab_size} cannot hold the 256 bytes and {special_tokens} special tokens; give "
            f"{256 + special_tokens} or more."
        )
    if vocab_size >= 1 << 31:
        raise InvalidVocabularySize(f"vocab_size={vocab_size} is more than ids of 32 bits can name.")


def check_tie_break(tie_break: str) -> None:
    """Raise InvalidOption unless there is such a rule."""
    if tie_break not in TIE_BREAKS:
        raise InvalidOption(f"no tie-break rule {tie_break!r}. The rules are: {', '.join(map(repr, TIE_BREAKS))}.")


def learn_merges(
    words: WordCounts,
    vocab_size: int,
    *,
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    progress: Progress | None = None,
) -> np.ndarray:
    """Return the merges, int32[n, 2], in the order learned.

    There are ``vocab_size - 256`` merges, or fewer when the text runs out of pairs that occur ``min_frequency`` times.

    Raises InvalidVocabularySize, InvalidOption, InvalidSource.

    >>> learn_merges(WordCounts.from_mapping({b"aaab": 2}), 258).tolist()
    [[97, 97], [256, 97]]
    """
    check_vocab_size(vocab_size)
    check_tie_break(tie_break)
    report = partial(_report, progress, vocab_size - 256) if progress else None
    return learn_stage(words, int(vocab_size), (tie_break, max(int(min_frequency), 1)), report).merges()


def _learn_in_stages(
    source: TrainingPhrases,
    stages: Sequence[Stage],
    vocab_size: int,
    rules: tuple[str, int],
    report: Report | None,
    threads: int,
) -> np.ndarray:
    """Return the merges of all stages, the last of which merges across phrases and reaches ``vocab_size``."""
    phrases: Iterable[Any] = source.phrases
    cuts: list[CutPhrases] = []
    for stage in reversed(stages):
        cuts.append(cut_phrases(phrases, source.splitter, stage.splitter, threads))
        phrases = counted_runs(cuts[-1].words)
    sizes = [*(stage.size for stage in stages), vocab_size]
    trained = learn_stage(cuts[-1].words, sizes[0], rules, report)
    merges, tokens = trained.merges(), trained.words() if sizes[0] < vocab_size else None
    del trained
    for cut, size in zip(reversed(cuts), sizes[1:]):
        merges = _learn_across(cut, size, rules, report, merges, tokens, threads)
        tokens = None
    return merges


def _learn_across(
    cut: CutPhrases,
    vocab_size: int,
    rules: tuple[str, int],
    report: Report | None,
    merges: np.ndarray,
    tokens: WordTokens | None,
    threads: int,
) -> np.ndarray:
    """Return the merges, and those that follow them across words: few pairs will be merged, so most do not matter.

    tokens : those that the merges make of the words of ``cut``, if they are known.
    """
    wanted = _PAIRS_FOR_A_MERGE * (vocab_size - 256 - len(merges))
    if wanted == 0:
        return merges
    phrases = encode_phrases(cut, merges, tokens, threads)
    found = merges
    while True:
        parts = frequent_parts(phrases, wanted, rules[1], threads)
        known = token_sizes(merges), len(found) - len(merges), parts.tokens
        learned = learn_stage(parts.counts, vocab_size, (rules[0], parts.least), report, *known)
        found = np.concatenate([merges, learned.merges()])
        if len(found) == vocab_size - 256 or parts.least == rules[1]:
            return found
        wanted *= _MORE_PAIRS


def learn_stage(
    words: WordCounts,
    vocab_size: int,
    rules: tuple[str, int],
    report: Report | None,
    sizes: np.ndarray = BYTE_SIZES,
    reported: int = 0,
    ids: np.ndarray | None = None,
    byte_order: bytes = IDENTITY_BYTE_ORDER,
) -> TrainingArrays:
    """Make the merges of a stage; return the arrays that contain them.

    rules : tie_break and min_frequency · sizes, ids : the tokens that there are, and the words in them, as of
    TrainingArrays · reported : how many of this stage are reported already · byte_order : the bytes by ascending id.
    """
    from minbpe_course.kernels.training import cells

    # Each merge joins two symbols of at least one word, so there are fewer merges than symbols.
    symbols = words.text.size if ids is None else ids.size
    limit = min(vocab_size - len(sizes), symbols)
    tie_break, min_frequency = rules
    rule, bytes_by_id = _rule(tie_break, byte_order)
    arrays = TrainingArrays(words, len(sizes) + limit, bytes_by_id, sizes, ids)

    stride, reason = 1, cells.DONE
    while arrays.made < limit and reason != cells.EXHAUSTED:
        before, begun = arrays.made, time.monotonic()
        reason = arrays.merge(rule, min_frequency, min(before + stride, limit))
        # The first merges of a large text take seconds, the last ones microseconds.
        took = time.monotonic() - begun
        stride = min(2 * stride, _STRIDE) if took < _MOST_SECONDS else max(stride // 2, 1)
        if report:
            report(arrays, max(before, reported))
    return arrays


def _rule(tie_break: str, byte_order: bytes = IDENTITY_BYTE_ORDER) -> tuple[int, np.ndarray]:
    """Return the kernel's number of a tie-break rule, and the byte of each of the first 256 ids."""
    from minbpe_course.kernels.training.tie_break_heap import FIRST_SEEN, GREATEST_BYTES, SMALLEST_PAIR

    rule = {"first-seen": FIRST_SEEN, "greatest-bytes": GREATEST_BYTES}.get(tie_break, SMALLEST_PAIR)
    # Hugging Face's order is the order of ids once the 256 bytes have its numbers: those of GPT-2's alphabet.
    return rule, np.frombuffer(PRINTABLE_ORDER if tie_break == "huggingface" else byte_order, dtype=np.uint8)


def _report(progress: Progress, total: int, arrays: TrainingArrays, start: int) -> None:
    """Report the merges of this stage from number ``start`` on."""
    for at, (left, right) in enumerate(arrays.pairs(start, arrays.made).tolist(), start):
        merge = arrays.first_id + at
        count = arrays.count(at)
        progress(MergeProgress(merge - 255, total, (left, right), merge, arrays.token(merge), count))


@overload
def train(
    source: Source,
    vocab_size: int,
    *,
    base: None = ...,
    pattern: str | None = ...,
    special_tokens: Iterable[str] = ...,
    tie_break: str = ...,
    min_frequency: int = ...,
    stages: Iterable[tuple[int, str | None]] = ...,
    parity: Mapping[str, Source] | None = ...,
    engine: Any = ...,
    checkpoint: str | PathLike[str] | None = ...,
    memory: int | str | None = ...,
    progress: Progress | Callable[[CountProgress | MergeProgress], object] | None = ...,
    num_threads: int | None = ...,
) -> BytePairModel: ...


@overload
def train(
    source: Source,
    vocab_size: int,
    *,
    base: Any,
    pattern: str | None = ...,
    special_tokens: Iterable[str] = ...,
    tie_break: str = ...,
    min_frequency: int = ...,
    engine: Any = ...,
    checkpoint: str | PathLike[str] | None = ...,
    memory: int | str | None = ...,
    progress: Progress | Callable[[CountProgress | MergeProgress], object] | None = ...,
    num_threads: int | None = ...,
) -> BytePairModel | VocabularyModel: ...


def train(
    source: Source,
    vocab_size: int,
    *,
    base: Any = None,
    pattern: str | None = DEFAULT_PATTERN,
    special_tokens: Iterable[str] = (),
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    stages: Iterable[tuple[int, str | None]] = (),
    parity: Mapping[str, Source] | None = None,
    engine: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    memory: int | str | None = None,
    progress: Progress | Callable[[CountProgress | MergeProgress], object] | None = None,
    num_threads: int | None = None,
) -> BytePairModel | VocabularyModel:
    """Train byte-level BPE and return the record.

    source : a str is text; a Path is a UTF-8 file, compressed or not, or a counts file; an iterable may yield texts and
    paths; a Corpus says more about files; a mapping, or a CountsFile, holds word counts. vocab_size : 256 bytes +
    merges + special tokens. pattern : a regular expression, a known name such as "cl100k_base", or None.
    special_tokens : no word reaches across them; they take the last ids. A counts file contains its pattern and its
    special tokens: leave both out, or give the same. tie_break : one of the four rules above. min_frequency : pairs
    that occur less often are not merged. num_threads : how many cores count words, and cut and encode phrases, by
    default all (merging uses one core, since each merge depends on the one before); the model is the same.

    stages : earlier stages, each as (tokens to reach, pattern), for tokens of several words as in SuperBPE:
    ``stages=[(26_000, "cl100k_base")]``. Such a stage merges inside the words that its pattern cuts from those of
    ``pattern``, which then is "superwords" unless you give another; its tokens are the 256 bytes and the merges so far.
    All words of the text stay in memory, 4 bytes each, unless their phrases are counted (``memory``, a counts file).

    parity : the same text in several languages, as ``{"English": sentences, "Greek": sentences}``. ``source`` then is
    the text to learn from in each of them, in the same form. Each merge is the best pair of the language whose text in
    ``parity`` has the most tokens; a language in which no pair occurs twice is passed over. Each source may be a counts
    file, for texts larger than memory.

    base : a vocabulary to continue from, as ``load_tokenizer`` takes it: a name, a file, a record, a tokenizer.
    ``vocab_size`` counts its ids, too. Text is cut into words and encoded as it says, and the merges learned then come
    after its own. All of its ids stay; new tokens take the ids after the last one, then ``special_tokens``. The pattern
    is the base's. The result is a BytePairModel if the base is one, otherwise a VocabularyModel; ``id_map(base,
    result)`` maps ids, for a table of embeddings.

    For texts larger than memory: memory : bytes, or a str such as "2GB", within which words are counted; merging then
    takes about 16 bytes for each byte of distinct words. checkpoint : a folder for the state of the counting. After a
    crash or an interrupt the same call continues counting from there; a finished count is read instead of counted
    again, for any vocab_size and tie_break. Merges are not kept: they start again from the counts, which takes
    seconds. engine : a Dask client or cluster whose workers count.

    progress : called with a MergeProgress for every merge and, when one of the last three options is given, with a
    CountProgress about once a second while words are counted; ``print`` will do.

    If the text runs out of pairs, the model is smaller than requested, and the TrainingStoppedEarly warning has its
    size. Warns with TextNamesFiles when a str names an
    existing file. Raises InvalidVocabularySize, InvalidPattern, InvalidOption, InvalidSource, UnusablePath,
    UnreadableInput; with a checkpoint also DifferentCheckpoint, FolderInUse and CountingStopped; with a base also the
    errors of ``load_tokenizer``, and UnsupportedModel unless its tokens are bytes.

    Source: Sennrich, Haddow and Birch (2016); the update of counts follows rustbpe's and minbpe's results exactly.
    Stages: Liu and others, SuperBPE (2025). Parity: Foroutan and others (2025).

    >>> model = train("the cat in the hat", 259, pattern=r"\\S+|\\s+", tie_break="greatest-bytes")
    >>> model.token_bytes[256], model.merges[0]
    (b'th', (116, 104))
    >>> train("by the way, by the way", 268, stages=[(263, "gpt2")]).token_bytes[264]
    b'by the way'
    >>> longer = train("the Entmoot, an Entmoot", 50_259, base="gpt2")
    >>> longer.token_bytes[50_258], dict(longer.special_tokens)
    (b' Entmoot', {'<|endoftext|>': 50256})
    """
    specials = special_texts(special_tokens)
    # Report mistakes before counting, which may take hours.
    check_vocab_size(vocab_size, len(specials))
    check_tie_break(tie_break)
    stages = list(stages) if isinstance(stages, Iterable) else stages
    rules = tie_break, max(int(min_frequency), 1)
    bounds = dict(progress=progress, engine=engine, checkpoint=checkpoint, memory=memory)
    if parity is not None:
        if base is not None or stages or any(each is not None for each in (engine, checkpoint, memory)):
            raise InvalidOption("parity= goes with none of base=, stages=, engine=, checkpoint= and memory=.")
        model = _train_for_parity(source, parity, vocab_size, pattern, specials, rules, progress, num_threads)
        if model.vocab_size < vocab_size:
            warn_of_early_stop(model.vocab_size, vocab_size)
        return model
    if base is not None:
        if stages:
            raise InvalidOption(
                "stages= begins with the 256 bytes, and base= with a vocabulary. Leave one of them out."
            )
        known = BaseVocabulary(base)
        if not is_default(pattern) and (None if pattern is None else named_pattern(pattern)) != known.record.pattern:
            raise InvalidOption(f"base= brings its own pattern, {known.record.pattern!r:.200}. Leave pattern= out.")
        longer = _learn_on(known, source, vocab_size, specials, rules, num_threads, bounds)
        if longer.vocab_size < vocab_size:
            warn_of_early_stop(longer.vocab_size, vocab_size)
        return longer
    earlier = stages_of(stages, vocab_size - len(specials))
    if earlier:
        pattern = pattern_of_phrases(pattern)
    found = (phrases_of if earlier else words_of)(source, pattern, specials, num_threads, **bounds)
    size = int(vocab_size) - len(found.special_tokens)
    if len(found.special_tokens) > len(specials):
        # These are the special tokens of a counts file.
        check_vocab_size(vocab_size, len(found.special_tokens))
        earlier = stages_of(stages, size)
    report = partial(_report, progress, size - 256) if progress else None
    if isinstance(found, TrainingPhrases):
        merges = _learn_in_stages(found, earlier, size, rules, report, threads_of(num_threads))
    else:
        merges = learn_stage(found.counts, size, rules, report).merges()
    model = model_of(merges, found.pattern, found.special_tokens)
    if len(merges) < size - 256:
        warn_of_early_stop(model.vocab_size, vocab_size)
    return model


def _train_for_parity(
    source: Any,
    parity: Any,
    vocab_size: int,
    pattern: str | None,
    specials: list[str],
    rules: tuple[str, int],
    progress: Progress | None,
    num_threads: int | None,
) -> BytePairModel:
    if not (isinstance(source, Mapping) and isinstance(parity, Mapping) and source and source.keys() == parity.keys()):
        raise InvalidSource(
            "with parity=, both it and the source are dicts with the same languages, for example "
            '{"English": text, "Greek": text}.'
        )
    learn, judge = (
        {language: words_of(texts[language], pattern, specials, num_threads) for language in parity}
        for texts in (source, parity)
    )
    found = [*learn.values(), *judge.values()]
    _, expression, special_tokens = found[0]
    if any((each.pattern, each.special_tokens) != (expression, special_tokens) for each in found):
        raise InvalidSource("the counts files of these languages have different patterns or special tokens.")
    check_vocab_size(vocab_size, len(special_tokens))
    size = int(vocab_size) - len(special_tokens)
    report = partial(_report, progress, size - 256) if progress else None
    counts = [{language: each.counts for language, each in words.items()} for words in (learn, judge)]
    merges = learn_for_parity(counts[0], counts[1], size, rules[1], *_rule(rules[0]), report)
    return model_of(merges, expression, special_tokens)


def warn_of_early_stop(reached: int, wanted: int) -> None:
    """Warn the caller of a caller that the vocabulary is smaller than requested."""
    warnings.warn(
        f"the text ran out of pairs: the vocabulary has {reached} tokens, not {wanted}.",
        TrainingStoppedEarly,
        stacklevel=3,
    )


def _learn_on(
    base: BaseVocabulary,
    source: Source,
    vocab_size: int,
    special_tokens: Sequence[str],
    rules: tuple[str, int],
    num_threads: int | None,
    bounds: dict[str, Any],
) -> BytePairModel | VocabularyModel:
    """Return the record of ``base`` with what is learned from ``source`` on top of it."""
    first, known = base.record.vocab_size, base.record.special_tokens
    _check_room(vocab_size, first, [text for text in special_tokens if text not in known])
    found = base.words_of(source, special_tokens, num_threads, **bounds)
    specials = [text for text in dict.fromkeys([*found.special_tokens, *special_tokens]) if text not in known]
    wanted = _check_room(vocab_size, first, specials)
    tokens = base.encode(found.counts, threads_of(num_threads))
    pairs, again, reported = np.empty((0, 2), dtype=np.int64), 0, 0

    def report(arrays: TrainingArrays, start: int) -> None:
        for at, pair in enumerate(arrays.pairs(start, arrays.made).tolist(), start):
            left, right = (base.id_of(number) for number in pair)
            token, count = arrays.token(arrays.first_id + at), arrays.count(at)
            bounds["progress"](MergeProgress(at + 1, wanted, (left, right), first + at, token, count))

    while len(pairs) < wanted + again:
        size = len(base.ids) + wanted + again
        given = base.sizes, reported, tokens, base.byte_order
        pairs = learn_stage(found.counts, size, rules, report if bounds["progress"] else None, *given).merges()
        reported, more = len(pairs), base.repeated(pairs)
        if len(pairs) < wanted + again:
            break
        again = more
    return base.extended(pairs, specials)


def _check_room(vocab_size: int, known: int, special_tokens: Sequence[str]) -> int:
    """Return how many tokens may be learned. Raises InvalidVocabularySize."""
    wanted = int(vocab_size) - known - len(special_tokens)
    if wanted < 0:
        more = f" and {len(special_tokens)} more special tokens" if special_tokens else ""
        raise InvalidVocabularySize(
            f"vocab_size={vocab_size:,} cannot hold the {known:,} ids of the base{more}. To learn 500 tokens, give "
            f"{vocab_size - wanted + 500:_}."
        )
    return wanted


def model_of(
    pairs: np.ndarray | Sequence[tuple[int, int]], pattern: str | None, special_tokens: Sequence[str]
) -> BytePairModel:
    """Return the record of merges, pattern and special tokens; the special tokens get the ids after the merges.

    >>> model_of([(97, 97)], None, ["<|end|>"]).special_tokens["<|end|>"]
    257
    """
    first = 256 + len(pairs)
    return BytePairModel(
        pairs, pattern=pattern, special_tokens={text: first + at for at, text in enumerate(special_tokens)}
    )
