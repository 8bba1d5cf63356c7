"""From names to encodings, as in ``tiktoken.registry`` and ``tiktoken.model``: bundled ones first, then plugins.

    get_encoding("o200k_base")            bundled, no network
    get_encoding("theirs")                a plugin of tiktoken: a module in the namespace package tiktoken_ext
    encoding_for_model("gpt-4o")          tiktoken's own table of language models

The installed tiktoken finds the plugins, so both libraries know the same names, and a new release of tiktoken brings
its new names and models.
In the other direction, ``offer_to_tiktoken`` makes an encoding available to ``tiktoken.get_encoding`` in this process.

This package does not ship a module in ``tiktoken_ext``. tiktoken has all names that are bundled here, and two modules
with one name make every call of ``tiktoken.get_encoding`` fail, in all programs of the environment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from minbpe_course import vocabularies
from minbpe_course.errors import InvalidOption, UnknownEncoding
from minbpe_course.kernels.lazy import BUILDING
from minbpe_course.tokenizers.encoding import ENCODINGS, Encoding
from minbpe_course.vocabularies.language_models import encoding_of_model, installed_tiktoken

Constructor = Callable[[], dict[str, Any]]


def get_encoding(encoding_name: str) -> Encoding:
    """Return the encoding of this name, bundled or from a plugin of tiktoken; the same object each time.

    Raises UnknownEncoding, also when a plugin cannot be read.

    >>> get_encoding("o200k_base").encode("hello world")
    [24912, 2375]
    """
    if isinstance(encoding_name, str) and encoding_name in ENCODINGS:
        return ENCODINGS[encoding_name]
    with BUILDING:
        if isinstance(encoding_name, str) and encoding_name in ENCODINGS:
            return ENCODINGS[encoding_name]
        if isinstance(encoding_name, str) and encoding_name not in vocabularies.names():
            constructor = _plugins().get(encoding_name)
            if constructor is not None:
                ENCODINGS[encoding_name] = encoding = Encoding(**constructor())
                return encoding
        encoding = Encoding._around(vocabularies.load(encoding_name), encoding_name, proven=True)
        ENCODINGS[encoding_name] = encoding
        return encoding


Encoding._get_by_name = staticmethod(get_encoding)


def list_encoding_names() -> list[str]:
    """Return the names that ``get_encoding`` knows: bundled ones, then those of plugins. Raises UnknownEncoding.

    >>> "o200k_base" in list_encoding_names()
    True
    """
    return list(dict.fromkeys([*vocabularies.names(), *_plugins()]))


def encoding_name_for_model(model_name: str) -> str:
    """Return the name of the encoding that a language model of OpenAI uses. Raises UnknownEncoding.

    >>> encoding_name_for_model("gpt-4o-2024-05-13")
    'o200k_base'
    """
    encoding = encoding_of_model(model_name) if isinstance(model_name, str) else None
    if encoding is None:
        # The first line is tiktoken's, and programs look for it.
        raise UnknownEncoding(
            f"Could not automatically map {model_name} to a tokeniser.\n"
            f"No encoding is known for the language model {model_name!r:.80}.\n"
            f"Name the encoding itself, one of {', '.join(vocabularies.names())}: get_encoding('o200k_base')."
        )
    return encoding


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding that a language model of OpenAI uses. Raises UnknownEncoding.

    >>> encoding_for_model("gpt-4o")
    <Encoding 'o200k_base'>
    """
    return get_encoding(encoding_name_for_model(model_name))


def offer_to_tiktoken(encoding: Encoding) -> None:
    """Let ``tiktoken.get_encoding(encoding.name)`` find an encoding, for programs that take the name of an encoding.

    This holds for the current process. tiktoken then builds a separate encoding from the ranks, the pattern and the
    special tokens. Raises InvalidOption when tiktoken has another encoding of this name already, UnsupportedModel when
    the encoding does not merge by ranks, UnknownEncoding.

    >>> import tiktoken
    >>> from minbpe_course import train
    >>> offer_to_tiktoken(Encoding.from_model(train("aaabdaaabac", 259, pattern="gpt2"), "three merges"))
    >>> tiktoken.get_encoding("three merges").encode("aaab")
    [258]
    """
    arguments = {
        "name": encoding.name,
        "pat_str": encoding._pat_str,
        "mergeable_ranks": encoding._mergeable_ranks,
        "special_tokens": encoding._special_tokens,
    }
    if not isinstance(encoding.name, str):
        raise InvalidOption(f"an encoding is offered by its name, a str; this one is called {encoding.name!r}.")
    with BUILDING:
        known = _plugins()
        there = known.get(encoding.name)
        if there is not None and getattr(there, "args", None) != (arguments,):
            raise InvalidOption(
                f"tiktoken has an encoding called {encoding.name!r} already.\n"
                "Give yours another name: encodings with one name must give the same ids."
            )
        # tiktoken calls it for the arguments of its ``Encoding``.
        known[encoding.name] = partial(dict, arguments)


def _plugins() -> dict[str, Constructor]:
    """Return the plugins: name -> function that returns the arguments of ``Encoding``. Raises UnknownEncoding.

    It is tiktoken's own table, so that both have the same names; without tiktoken it is empty.
    """
    tiktoken = installed_tiktoken()
    try:
        if tiktoken is None:
            return {}
        tiktoken.list_encoding_names()
        return tiktoken.registry.ENCODING_CONSTRUCTORS
    except Exception as error:
        raise UnknownEncoding(
            f"a module in the namespace package tiktoken_ext cannot be read: {error}\n"
            f"The bundled encodings work all the same: {', '.join(vocabularies.names())}."
        ) from error
