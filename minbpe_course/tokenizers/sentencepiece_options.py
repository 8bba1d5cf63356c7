"""The options of a call of SentencePieceTokenizer, checked before any work is done."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from minbpe_course.errors import InvalidOption, NotAvailable

RETURN_TYPES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
WITH_PLACES = ("proto", "serialized_proto", "offset_mapping")  # not together with added or reversed pieces
MOST_NBEST = 512
MOST_THREADS = 1024


class Options(NamedTuple):
    """How a text is encoded; the defaults of a tokenizer are one of these."""

    return_type: Any = int
    add_bos: bool = False
    add_eos: bool = False
    reverse: bool = False
    emit_unk_piece: bool = False
    enable_sampling: bool = False
    nbest_size: int = -1
    alpha: float = 0.1
    num_threads: int = -1
    frame: bool = False

    @property
    def changes_ids(self) -> bool:
        """Whether ids are added or reversed."""
        return bool(self.add_bos or self.add_eos or self.reverse or self.frame)


def return_type_of(return_type: Any, out_type: Any, default: Any) -> Any:
    """Return the result type given by either of its two names, or the default. Raises InvalidOption."""
    if out_type is not None and return_type is not None:
        raise InvalidOption("give out_type or return_type, not both: they are two names of one option.")
    wanted = out_type if return_type is None else return_type
    wanted = default if wanted is None else wanted
    if wanted == "immutable_proto":
        raise InvalidOption("'immutable_proto' is gone since sentencepiece 0.2.2; return_type='proto' has its fields.")
    if wanted not in RETURN_TYPES:
        raise InvalidOption(f"return_type={wanted!r}: it is one of {', '.join(map(_shown, RETURN_TYPES))}.")
    return wanted


def filled(defaults: Options, asked: tuple[Any, ...]) -> Options:
    """Return ``asked`` with the defaults where it holds None. Raises InvalidOption, NotAvailable."""
    options = Options(*[default if own is None else own for own, default in zip(asked, defaults)])
    for name, value in zip(Options._fields[1:6], options[1:6]):
        if not isinstance(value, int) and not hasattr(type(value), "__bool__"):
            raise InvalidOption(f"{name} is True or False, got {value!r}. For another result: return_type=str.")
    if options.return_type in WITH_PLACES and (any(options[1:5]) or options.frame):
        raise NotAvailable(
            f"return_type={options.return_type!r} gives the places of pieces in the text, so add_bos, add_eos, "
            "reverse, emit_unk_piece and frame must be False."
        )
    if options.enable_sampling:
        _check_sampling(options)
    return options


def _check_sampling(options: Options) -> None:
    size, alpha = options.nbest_size, options.alpha
    if isinstance(size, bool) or not isinstance(size, int) or not isinstance(alpha, (int, float)):
        raise InvalidOption(f"nbest_size is a whole number and alpha a number, got {size!r} and {alpha!r}.")
    if options.enable_sampling is True and size in (0, 1):
        raise InvalidOption(f"nbest_size={size} leaves nothing to sample from: -1 for all encodings, or 2 to 512.")
    if not math.isfinite(alpha) or alpha < 0:
        raise NotAvailable(f"alpha={alpha} is not a number from 0 up.")
    check_nbest(size)


def check_nbest(size: int) -> None:
    """Raise NotAvailable for more than sentencepiece's 512."""
    if size > MOST_NBEST:
        raise NotAvailable(f"nbest_size={size}: the most is {MOST_NBEST}.")


def threads_for(num_threads: int, pool: Any) -> int | None:
    """Return how many threads to use, None for as many as there are processors.

    pool : an object with a method ``num_threads``, such as sentencepiece's ThreadPool, which gives the number.

    >>> threads_for(-1, None), threads_for(0, None), threads_for(4, None)
    (None, 1, 4)
    """
    if pool is not None:
        try:
            num_threads = pool.num_threads()
        except (AttributeError, TypeError):
            raise InvalidOption(
                f"thread_pool has a method num_threads(), got {pool!r}. To name a number: num_threads=4."
            ) from None
    if not isinstance(num_threads, int):
        raise InvalidOption(f"num_threads is a whole number, got {num_threads!r:.80}.")
    return None if num_threads < 0 else min(max(num_threads, 1), MOST_THREADS)


def _shown(return_type: Any) -> str:
    return return_type.__name__ if isinstance(return_type, type) else repr(return_type)
