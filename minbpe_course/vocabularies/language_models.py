"""The encodings of language models, by the names of the models.

The installed tiktoken has priority, since new releases know new names. The tables here, copied from tiktoken 0.14,
are for when tiktoken is missing, or when the module of that name is this package or re-exports it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from types import ModuleType

# Encoding -> its models, and encoding -> the prefixes of its models.
_NAMES: Mapping[str, str] = {
    "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
    "cl100k_base": """
        gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002 text-embedding-3-small
        text-embedding-3-large
    """,
    "p50k_base": """
        text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 code-cushman-001
        davinci-codex cushman-codex
    """,
    "r50k_base": """
        text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada
        text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 text-similarity-ada-001
        text-search-davinci-doc-001 text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001
        code-search-babbage-code-001 code-search-ada-code-001
    """,
    "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
    "gpt2": "gpt2 gpt-2",
}
_PREFIXES: Mapping[str, str] = {
    "o200k_base": "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
    "cl100k_base": """
        gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002
    """,
    "o200k_harmony": "gpt-oss-",
}
MODEL_TO_ENCODING = {name: encoding for encoding, names in _NAMES.items() for name in names.split()}
MODEL_PREFIX_TO_ENCODING = {prefix: encoding for encoding, listed in _PREFIXES.items() for prefix in listed.split()}


def installed_tiktoken() -> ModuleType | None:
    """Return the package tiktoken, or None when it is missing or another module has taken its name.

    >>> installed_tiktoken().__name__
    'tiktoken'
    """
    try:
        import tiktoken
    except ImportError:
        return None
    # A module that re-exports our functions gives itself away by where they were defined.
    own = all(
        getattr(getattr(tiktoken, name, None), "__module__", None) == home
        for name, home in (("get_encoding", "tiktoken.registry"), ("encoding_name_for_model", "tiktoken.model"))
    )
    return tiktoken if own and hasattr(tiktoken.registry, "ENCODING_CONSTRUCTORS") else None


def encoding_of_model(model_name: str) -> str | None:
    """Return the name of the encoding of a language model, or None if the model is unknown.

    >>> encoding_of_model("gpt-4o-2024-05-13"), encoding_of_model("cl100k_base")
    ('o200k_base', None)
    """
    tiktoken = installed_tiktoken()
    if tiktoken is not None:
        try:
            return str(tiktoken.encoding_name_for_model(model_name))
        except KeyError:
            return None
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    # The longest prefix that fits wins.
    fitting = [prefix for prefix in MODEL_PREFIX_TO_ENCODING if model_name.startswith(prefix)]
    return MODEL_PREFIX_TO_ENCODING[max(fitting, key=len)] if fitting else None


def what_was_meant(name: str, encodings: Sequence[str]) -> str | None:
    """Return advice for an unknown encoding: the call for a language model, or an encoding with a similar name.

    >>> what_was_meant("GPT-4", ["cl100k_base"])
    "'gpt-4' is a model; its encoding is 'cl100k_base': encoding_for_model('gpt-4')"
    >>> what_was_meant("CL100K", ["cl100k_base"])
    "Did you mean 'cl100k_base'?"
    """
    plain = re.sub(r"[\s_]+", "-", name.strip().lower())
    spelled = {re.sub("[-_]", "", each): each for each in encodings}
    if plain.replace("-", "") in spelled:
        return f"Did you mean {spelled[plain.replace('-', '')]!r}?"
    for model in (name, plain, re.sub(r"gpt(?=\d)", "gpt-", plain)):
        encoding = encoding_of_model(model)
        if encoding is not None:
            return f"{model!r} is a model; its encoding is {encoding!r}: encoding_for_model({model!r})"
        encoding = encoding_of_model(f"{model}-")
        if encoding is not None:
            return f"{model!r} is a family of models; their encoding is {encoding!r}: get_encoding({encoding!r})"
    nearest = difflib.get_close_matches(name.lower(), encodings, n=1, cutoff=0.5)
    return f"Did you mean {nearest[0]!r}?" if nearest else None
