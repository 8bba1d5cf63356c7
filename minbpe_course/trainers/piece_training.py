"""Training SentencePiece BPE models: the same ``.model`` file as sentencepiece 0.2.3, byte for byte.

    train_sentencepiece("corpus.txt", "mine", 8000)                        writes mine.model and mine.vocab
    train_sentencepiece(sentence_iterator=lines, vocab_size=8000)          writes nothing, gives the record

Limits: the text is held in memory. sentencepiece itself trains other models than BPE, and all that draw random numbers.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from minbpe_course.errors import InvalidTrainingOption
from minbpe_course.extras import needed
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.protobuf_fields import field_bytes
from minbpe_course.model import NORMAL, PieceModel
from minbpe_course.model.piece_training_rules import BORDER, DIGITS, RARE, SPACE, PieceRules, required_characters
from minbpe_course.text.unicode_tables import INHERITED, scripts
from minbpe_course.trainers.piece_corpus import Corpus, read_corpus
from minbpe_course.trainers.piece_options import Plan, read_options, reserved_pieces
from minbpe_course.trainers.training_arrays import longer

_CELL_BITS = 0xFFFFFFFF

# Arguments that are not options, and that only sentencepiece uses.
_FOR_SENTENCEPIECE = ("pretokenizer", "allow_inconsistent_pretokenization", "logstream")

# How many merges are made before Python can be interrupted.
_STRIDE = 1000


def train_sentencepiece(
    input: Any = None,
    model_prefix: str | os.PathLike[str] | None = None,
    vocab_size: int | None = None,
    *,
    sentence_iterator: Iterable[str | bytes] | None = None,
    model_writer: Any = None,
    model_type: str | None = "bpe",
    normalizer: Any = None,
    **options: Any,
) -> PieceModel:
    """Train a SentencePiece model and return its record; ``SentencePieceTokenizer(model=record)`` encodes with it.

    input : a file with one sentence on a line, or several: a list, or one text with commas · model_prefix : writes
    ``<prefix>.model`` and ``<prefix>.vocab`` · vocab_size : 8000 unless said · sentence_iterator : sentences, str or
    bytes, in place of ``input`` · model_writer : its ``write`` gets the bytes of the model, in place of
    ``model_prefix`` · model_type : None for sentencepiece's default, unigram · normalizer : a loaded model (or
    SentencePieceTokenizer) whose normaliser is taken over.

    All other options are sentencepiece's own, with its names, spellings and defaults. Those that learners meet:

    * normalization_rule_name="nmt_nfkc" (or identity, nfkc, nfkc_cf, nmt_nfkc_cf), add_dummy_prefix=True,
      remove_extra_whitespaces=True
    * character_coverage=0.9995, required_chars="", byte_fallback=False, hard_vocab_limit=True
    * split_by_unicode_script=True, split_by_number=True, split_by_whitespace=True, split_digits=False,
      treat_whitespace_as_suffix=False, allow_whitespace_only_pieces=False, max_sentencepiece_length=16
    * user_defined_symbols=[], control_symbols=[], unk_id=0, bos_id=1, eos_id=2, pad_id=-1, unk_piece="<unk>", ...,
      unk_surface=" ⁇ "
    * max_sentence_length=4192 (bytes; longer lines are left out), input_format="text" (or "tsv": sentence, tab, count)
    * num_threads, vocabulary_output_piece_score, shuffle_input_sentence, ...: kept in the file; one thread works here
    * accept_language, self_test_sample_size, train_extremely_large_corpus, ...: taken and forgotten, as 0.2.3 does

    A BPE model is the file that sentencepiece 0.2.3 writes for the same options, byte for byte; an option that is not
    given is not written. Other model types, and input_sentence_size, auto_character_coverage,
    pretokenization_delimiter, pretokenizer and denormalization_rule_tsv, are passed to sentencepiece itself, whose
    random results differ from run to run.

    Raises InvalidTrainingOption (for a size that cannot be reached, the message says which ones can), InvalidSource,
    InvalidText, UnusablePath; MissingPackage where sentencepiece has to train and is not installed.

    >>> model = train_sentencepiece(sentence_iterator=["to be or not to be"], vocab_size=14,
    ...                             normalization_rule_name="identity")
    >>> model.pieces[3:7], model.scores[3:5]
    (('be', 'to', '▁be', '▁to'), (-0.0, -1.0))
    """
    if sentence_iterator is None:
        sentence_iterator = options.pop("sentence_reader", None)
    if isinstance(input, str) and input.startswith("--"):
        raise InvalidTrainingOption(
            "give options as arguments, not as one text: train_sentencepiece('corpus.txt', ...)"
        )
    if (input is None) == (sentence_iterator is None):
        raise InvalidTrainingOption("give the text either as input=path or as sentence_iterator=sentences.")
    if model_prefix is not None and model_writer is not None:
        raise InvalidTrainingOption("give model_prefix, which writes files, or model_writer, not both.")
    given: dict[str, Any] = {"input": input, "model_prefix": model_prefix, "vocab_size": vocab_size}
    given = {name: value for name, value in (given | {"model_type": model_type}).items() if value is not None}
    aside = {name: options.pop(name) for name in _FOR_SENTENCEPIECE if name in options}
    plan = read_options(given | options, normalizer)
    delegate = plan.delegate or aside.get("pretokenizer") is not None
    if delegate:
        data = _by_sentencepiece(given | options | aside, sentence_iterator, model_prefix, normalizer)
    else:
        data = _train(plan, sentence_iterator)
    record = sentencepiece_proto.from_bytes(data, "the trained model")
    if model_prefix is not None and not delegate:
        write_whole(f"{os.fspath(model_prefix)}.model", data)
        write_whole(
            f"{os.fspath(model_prefix)}.vocab", vocabulary_file(record, plan.trainer.vocabulary_output_piece_score)
        )
    if model_writer is not None:
        model_writer.write(data)
    return record


def _train(plan: Plan, sentences: Iterable[str | bytes] | None) -> bytes:
    trainer = plan.trainer
    reserved = reserved_pieces(trainer)
    corpus = read_corpus(plan, [piece for piece, _ in reserved.values()], sentences)
    present = np.flatnonzero(corpus.totals)
    totals = {chr(point): count for point, count in zip(present.tolist(), corpus.totals[present].tolist())}
    required = required_characters(totals, trainer.character_coverage, trainer.required_chars)
    if {" ", RARE} & {*required}:
        raise InvalidTrainingOption(
            "neither a space nor U+2585 can be in a vocabulary: a space is ▁ in a piece, and U+2585 stands for rare "
            "characters. Take it out of required_chars, or of what the normaliser makes."
        )
    wanted = trainer.vocab_size - len(reserved) - len(required)
    if wanted < 0:
        raise InvalidTrainingOption(_too_small(trainer, len(reserved), required, totals))
    pieces = [*learn_pieces(corpus, required, wanted, rules_of(trainer)), *required]
    return _serialized(plan, reserved, pieces)


def rules_of(trainer: Any) -> PieceRules:
    """Return the rules for pieces that the options of a file give."""
    return PieceRules(**{name: getattr(trainer, name) for name in PieceRules.__dataclass_fields__})


def learn_pieces(corpus: Corpus, required: list[str], number: int, rules: PieceRules) -> list[str]:
    """Return the merged pieces in the order learned, at most ``number``."""
    from minbpe_course.kernels.training import piece_training as kernel
    from minbpe_course.kernels.training.cells import DONE, EXHAUSTED, HEAP, MERGES, NEEDS_SLOTS, SLOTS, STATE

    alphabet = np.array(sorted(map(ord, {*required} - {BORDER, RARE})), dtype=np.int64)
    rare = alphabet.size
    numbers = np.full(corpus.totals.size, rare, dtype=np.int32)
    numbers[alphabet] = np.arange(rare)
    numbers[0x20] = numbers[ord(SPACE)]
    kinds = np.append(_kinds(alphabet, rules), np.uint8(kernel.KIND_NEVER))
    limits = np.array(
        [
            rules.max_sentencepiece_length,
            rules.split_by_whitespace,
            rules.treat_whitespace_as_suffix,
            rules.allow_whitespace_only_pieces,
            rules.split_by_unicode_script,
        ],
        dtype=np.int64,
    )

    room = corpus.characters + 2 * corpus.ends.size
    # A merge takes at least one character's place away, and two pairs may be born there: no text has more pairs.
    number = min(number, 3 * room)
    cells, codes = np.empty(room, dtype=np.uint32), np.empty(room, dtype=np.uint32)
    back = np.zeros(room, dtype=np.uint8)
    ends = np.empty(corpus.ends.size, dtype=np.int64)
    kernel.lay_out(corpus.text, corpus.ends, corpus.counts, numbers, cells, codes, back, ends)

    state = np.zeros(STATE, dtype=np.int64)
    characters = rare + 1
    lengths = np.empty(characters + number, dtype=np.int32)
    postings = np.empty(3 * room, dtype=np.uint32)
    pairs = min(characters**2, room)
    table = np.empty(1 << max(6, (2 * pairs - 1).bit_length()), dtype=np.int64)
    slot_of = np.empty(table.size, dtype=np.int32)
    size = max(1 << 12, room // 3)
    while True:
        slots, runs = np.empty(2 * size, dtype=np.int64), np.empty(2 * size, dtype=np.int64)
        ties = np.empty(size, dtype=np.int64)
        table.fill(-1)
        made = kernel.start_training(
            cells, codes, ends, kinds, limits, table, slot_of, slots, ties, runs, postings, lengths, characters, state
        )
        if made <= size:
            break
        size = 2 * made
    del table, slot_of

    heap = np.empty(3 * size, dtype=np.int64)
    neighbours = [np.full(lengths.size, -1, dtype=np.int32) for _ in range(2)]
    born = np.empty(4 * room, dtype=np.uint32)
    merges, counts = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.int64)
    reason = DONE
    while reason != EXHAUSTED and (done := int(state[MERGES])) < number:
        reason = kernel.train_pieces(
            min(done + _STRIDE, number), ends, cells, codes, back, kinds, limits, slots, ties, runs, postings, heap,
            lengths, *neighbours, born, merges, counts, state,
        )  # fmt: skip
        if reason != NEEDS_SLOTS:
            continue
        used = int(state[SLOTS])
        size *= 2
        slots, runs = longer(slots, 2 * size, 2 * used), longer(runs, 2 * size, 2 * used)
        ties, heap = longer(ties, size, used), longer(heap, 3 * size, 3 * int(state[HEAP]))

    return _spelled(merges[: state[MERGES]], codes, alphabet)


def _spelled(merges: np.ndarray, codes: np.ndarray, alphabet: np.ndarray) -> list[str]:
    """Return the texts of merges, ``characters << 32 | cell`` each: gathered and decoded at once, then cut."""
    lengths = merges >> 32
    ends = np.cumsum(lengths)
    inside = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    places = np.repeat(merges & _CELL_BITS, lengths) + inside
    text = alphabet[codes[places]].astype("<u4").tobytes().decode("utf-32-le")
    return [text[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist())]


def _kinds(alphabet: np.ndarray, rules: PieceRules) -> np.ndarray:
    """Return the kind of each character, as ``kernels.piece_training`` numbers them."""
    from minbpe_course.kernels.training import piece_training as kernel

    table = scripts()[alphabet]
    kinds = np.where(table == INHERITED, np.uint8(kernel.KIND_INHERITED), table + np.uint8(kernel.KIND_INHERITED + 1))
    digits = np.isin(alphabet, [ord(digit) for digit in DIGITS])
    if not rules.split_by_number:
        kinds[digits] = kernel.KIND_ANY
    if rules.split_digits:
        kinds[digits] = kernel.KIND_NEVER
    kinds[alphabet == ord(SPACE)] = kernel.KIND_SPACE
    return kinds.astype(np.uint8)


def _too_small(trainer: Any, reserved: int, required: list[str], totals: dict[str, int]) -> str:
    needed = reserved + len(required)
    lines = [
        f"Vocabulary size is smaller than required_chars: vocab_size={trainer.vocab_size:,}, but {reserved:,} reserved "
        f"pieces and {len(required):,} characters need {needed:,}.",
        f"Set vocab_size to {needed:,} or more; everything beyond that is a merge.",
    ]
    fewer = reserved + len(required_characters(totals, 0.98, trainer.required_chars))
    if fewer < needed and trainer.character_coverage > 0.98:
        also = (
            "" if trainer.byte_fallback else " (and byte_fallback=True, so that the others become bytes: 256 ids more)"
        )
        lines.append(f"Or lower character_coverage: 0.98 needs {fewer:,}{also}.")
    return "\n".join(lines)


def _serialized(plan: Plan, reserved: dict[int, tuple[str, int]], pieces: list[str]) -> bytes:
    """Return the whole file. Raises InvalidTrainingOption if sentencepiece writes none."""
    trainer = plan.trainer
    found = bytearray()
    number_found = 0
    seen: set[str] = set()
    left = iter(enumerate(pieces))
    full = min(trainer.vocab_size, len(pieces) + len(reserved))
    for number in [*range(full), *sorted(number for number in reserved if number >= full)]:
        if number in reserved:
            piece, kind = reserved[number]
            if number_found != number:
                raise InvalidTrainingOption(
                    f"{piece!r} has the id {number:,}, and there are only {number_found:,} pieces before it: the "
                    f"text has run out of pairs. Give {piece!r} a smaller id, or more text."
                )
            found += sentencepiece_proto.piece_message(piece, 0.0, kind)
        else:
            rank, piece = next(left, (-1, ""))
            if rank < 0:
                continue
            found += sentencepiece_proto.piece_message(piece, -float(rank), NORMAL)
        if not piece or piece in seen:
            what = "is empty" if not piece else "is already defined"
            raise InvalidTrainingOption(f"piece {number}, {piece!r}, {what}; each symbol and character once.")
        seen.add(piece)
        number_found += 1
    written = trainer.copy()
    if not trainer.hard_vocab_limit:
        written.put("vocab_size", number_found)
    elif number_found != trainer.vocab_size:
        raise InvalidTrainingOption(
            f"Vocabulary size too high: vocab_size={trainer.vocab_size:,}, but this text only has "
            f"{number_found:,} pieces.\nSet vocab_size to {number_found:,} or less, train on more text, or pass "
            "hard_vocab_limit=False to accept fewer pieces."
        )
    found += field_bytes(sentencepiece_proto.TRAINER, written.to_bytes())
    found += field_bytes(sentencepiece_proto.NORMALIZER, plan.normalizer.to_bytes())
    return bytes(found)


def vocabulary_file(record: PieceModel, scores: bool = True) -> bytes:
    r"""Return the ``.vocab`` file that goes with a model: a piece on each line, with its score.

    >>> vocabulary_file(PieceModel(("<unk>", "ab"), (0.0, -0.0), (2, 1)))
    b'<unk>\t0\nab\t-0\n'
    """
    lines = zip(record.pieces, record.scores)
    return "".join(f"{piece}\t{score:g}\n" if scores else f"{piece}\n" for piece, score in lines).encode()


def _by_sentencepiece(
    options: dict[str, Any],
    sentences: Iterable[str | bytes] | None,
    prefix: str | os.PathLike[str] | None,
    normalizer: Any,
) -> bytes:
    """Train with sentencepiece itself."""
    wanted = str(options.get("model_type", "unigram")).lower()
    purpose = "training with these options" if wanted == "bpe" else f"training a {wanted} model"
    with needed(purpose, "sentencepiece"):
        import sentencepiece

    options = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    if isinstance(options.get("input"), os.PathLike):
        options["input"] = [os.fspath(options["input"])]
    file = io.BytesIO()
    if sentences is not None:
        options["sentence_iterator"] = iter(sentences)
    if prefix is None:
        options["model_writer"] = file
    if isinstance(normalizer, sentencepiece.SentencePieceNormalizer):
        options["normalizer"] = normalizer
    elif normalizer is not None:
        rules = field_bytes(sentencepiece_proto.NORMALIZER, read_options({}, normalizer).normalizer.to_bytes())
        options["normalizer"] = sentencepiece.SentencePieceNormalizer(model_proto=rules)
    try:
        sentencepiece.SentencePieceTrainer.train(**options)
    except (RuntimeError, ValueError, OSError) as error:
        raise InvalidTrainingOption(f"sentencepiece refuses: {error}") from error
    if prefix is None:
        return file.getvalue()
    return read_whole(f"{os.fspath(prefix)}.model")
