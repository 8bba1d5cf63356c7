"""The code next to the tokenizer under examination, in this process or in a sandbox of the grader.

    Driver(MyTokenizer)(key, how, arguments, method, args)     -> ["answer", the answer of the tokenizer]

A tokenizer is made once for each key and then asked: making one from 50,000 ranks takes a second, asking it much less.
A sandbox gets this file as source, so it must not import other modules. It compares nothing: code that changes it from
inside the sandbox can only produce wrong answers.
"""

from __future__ import annotations

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
    >>> Driver(Bytes)("as it is", "itself", (), "encode", ("hi",))
    ['answer', [104, 105]]
    """

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self.made: dict[str, Any] = {}

    def __call__(self, key: str, how: str, arguments: Any, method: str, args: tuple[Any, ...]) -> list[Any]:
        """Call a method; ``["not made"]`` asks for the arguments that make this tokenizer."""
        if method == "abilities":
            return ["answer", self.abilities()]
        if key not in self.made or method == "arguments":
            if arguments is None:
                return ["not made"]
            self.made.pop(key, None)
            while len(self.made) >= MOST_MADE:
                del self.made[next(iter(self.made))]
            self.made[key] = self.make(how, arguments)
        tokenizer = self.made[key]
        if method in ("make", "arguments"):
            return ["answer", arguments if method == "arguments" else True]
        if method == "decode":
            (ids,) = args
            return ["answer", [tokenizer.decode(ids), ids]]
        if method == "merges":
            merges = tokenizer.merges
            return ["answer", sorted(merges, key=lambda pair: merges[pair]) if isinstance(merges, dict) else merges]
        return ["answer", getattr(tokenizer, method)(*args)]

    def abilities(self) -> list[str]:
        """Return the ways in which the class can make a tokenizer: "from_ranks", "train", both or neither."""
        if not isinstance(self.entry, type):
            return []
        found = [name for name in ("from_ranks", "train") if self.kind_of(name) in ON_CLASS]
        if self.kind_of("train") is FUNCTION and self.kind_of("register_special_tokens"):
            found.append("train")  # minbpe's: a tokenizer is made from a pattern, then trained
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
        text, vocab_size, pattern, special_tokens = arguments
        tokenizer = self.entry(pattern)
        if special_tokens:
            tokenizer.register_special_tokens(special_tokens)
        tokenizer.train(text, vocab_size)
        return tokenizer
