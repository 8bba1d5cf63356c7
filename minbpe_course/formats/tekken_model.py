"""The record of a ``tekken.json`` that says more than which text becomes which ids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from minbpe_course.model import VocabularyModel


class TekkenModel(VocabularyModel):
    """A VocabularyModel that also keeps what a ``tekken.json`` says beyond it.

    beyond : "config", "special_tokens", "unused" (tokens), "token_str" (those that are not what the bytes spell) and
    "others" (further members of the file, such as "image"), each as it stands in the file; absent where there is
    nothing to keep.

    It equals a VocabularyModel with the same tokens: what it keeps changes no id.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)}
    >>> model = TekkenModel(tokens, pattern=".", beyond={"others": {"image": {"image_patch_size": 16}}})
    >>> model == VocabularyModel(tokens, pattern="."), model.replace(pattern="..").beyond["others"]
    (True, {'image': {'image_patch_size': 16}})
    """

    beyond: Mapping[str, Any]

    def __init__(self, *args: Any, beyond: Mapping[str, Any] | None = None, **fields: Any) -> None:
        super().__init__(*args, **fields)
        object.__setattr__(self, "beyond", MappingProxyType(dict(beyond or {})))

    def _fields(self) -> dict[str, Any]:
        return super()._fields() | {"beyond": dict(self.beyond)}

    def replace(self, **changes: object) -> TekkenModel:
        """Return a copy with some fields changed; what is kept beyond them stays, but for what is said of tokens."""
        kept = {key: value for key, value in self.beyond.items() if key in ("config", "others", "special_tokens")}
        beyond = {"beyond": kept} if "token_bytes" in changes else {}
        return TekkenModel(**(self._fields() | beyond | changes))
