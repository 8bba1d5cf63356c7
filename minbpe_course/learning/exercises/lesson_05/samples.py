"""Names of special tokens, messages and random texts for the exercises of lesson 05. No name is empty."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

END, END_LINE, PAD = "<|end|>", "<|end|>\n", "<|pad|>"
START_ID, END_ID = 300, 301
CHAT = {"<|im_start|>": START_ID, "<|im_end|>": END_ID}

Message = dict[str, str]


def draw_text(random: Random, parts: Sequence[str], most: int) -> str:
    """Return up to ``most`` of the parts, joined.

    >>> draw_text(Random(0), ["ab"], 3)
    'ababab'
    """
    return "".join(random.choices(parts, k=random.randint(0, most)))


def draw_talk(random: Random, roles: Sequence[str], number: int, parts: Sequence[str], most: int) -> list[Message]:
    """Return ``number`` messages with these roles, each with up to ``most`` of the parts as its content.

    >>> draw_talk(Random(0), ["user"], 1, ["ab"], 1)
    [{'role': 'user', 'content': 'ab'}]
    """
    return [{"role": random.choice(roles), "content": draw_text(random, parts, most)} for _ in range(number)]
