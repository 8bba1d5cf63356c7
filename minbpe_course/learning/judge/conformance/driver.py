"""The code next to the tokenizer under examination, in this process or in a sandbox of the grader.

    Driver(MyTokenizer)(key, how, arguments, method, args)     -> [the answer of the tokenizer]

A tokenizer is made once for each key and then asked: making one from 50,000 ranks takes a second, asking it much less.
A sandbox gets this file as source, so it must not import other modules. It compares nothing: code that changes it from
inside the sandbox can only produce wrong answers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from typing import Any

MOST_MADE = 3  # tokenizers kept at a time: a sandbox has little memory
FUNCTION = type(lambda: None)
ON_CLASS = (classmethod, staticmethod)  # methods that need no tokenizer to be called


class Driver:
    """The learner's class (or tokenizer), and the tokenizers that were made from it.

    >>> class Bytes:
    ...     def encode(self, text):
    ...         return list(text.encode())
    >>> driver = Driver(Bytes)
    >>> driver("as it is", "itself", None, "encode", ("hi",))
    []
    >>> driver("as it is", "itself", (), "encode", ("hi",))
    [[104, 105]]
    """

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self.made: dict[str, tuple[Any, Any]] = {}

    def __call__(self, key: str, how: str, arguments: Any, method: str, args: tuple[Any, ...]) -> list[Any]:
        """Call a method; an empty list asks for the arguments that make this tokenizer."""
        if method == "abilities":
            return [self.abilities()]
        if arguments is not None:
            while len(self.made) >= MOST_MADE:
                del self.made[next(iter(self.made))]
            self.made[key] = self.make(how, arguments), arguments
        if key not in self.made:
            return []
        tokenizer, arguments = self.made[key]
        if method == "arguments":
            return [arguments]
        if method == "decode":
            (ids,) = args
            return [[tokenizer.decode(ids), ids]]
        if method == "merges":
            merges = getattr(tokenizer, "merges", None)
            return [sorted(merges, key=lambda pair: merges[pair]) if isinstance(merges, dict) else merges]
        return [method == "make" or tokenizer.encode(*args)]

    def abilities(self) -> list[str]:
        """Return the ways in which the class can make a tokenizer: "from_ranks", "train" and "load", or none."""
        if not isinstance(self.entry, type):
            return []
        found = [name for name in ("from_ranks", "train") if self.kind_of(name) in ON_CLASS]
        if self.kind_of("train") is FUNCTION and self.kind_of("register_special_tokens"):
            found.append("train")  # minbpe's: a tokenizer is made from a pattern, then trained
        if self.kind_of("load") is FUNCTION:
            found.append("load")
        return found

    def kind_of(self, name: str) -> Any:
        """Return the type of what the class or one of its bases defines as ``name``; None if they do not."""
        return next((type(vars(kind)[name]) for kind in type.mro(self.entry) if name in vars(kind)), None)

    def make(self, how: str, arguments: Any) -> Any:
        """Return a new tokenizer."""
        if how == "itself":
            to_call = isinstance(self.entry, (type, FUNCTION))  # a class, or a function that builds one
            return self.entry() if to_call else self.entry
        if self.kind_of(how) in ON_CLASS:
            return getattr(self.entry, how)(*arguments)
        if how == "load":
            (model,) = arguments
            tokenizer = self.entry(model.split("\n")[1])
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "saved.model")
                path.write_bytes(model.encode("utf-8"))
                tokenizer.load(str(path))
            return tokenizer
        text, vocab_size, pattern, special_tokens = arguments
        tokenizer = self.entry(pattern)
        if special_tokens:
            tokenizer.register_special_tokens(special_tokens)
        tokenizer.train(text, vocab_size)
        return tokenizer
