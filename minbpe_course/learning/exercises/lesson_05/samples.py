"""Names of special tokens, messages and random texts for the exercises of lesson 05. No name is empty."""

import itertools

END, END_LINE, PAD = "<|end|>", "<|end|>\n", "<|pad|>"
CHAT = {"<|im_start|>": 300, "<|im_end|>": 301}


def joined(parts, names):
    """Return parts with adjacent ordinary texts joined, each with whether it is a special token.

    >>> joined(["a", "b", "<|end|>", ""], ["<|end|>"])
    [('ab', False), ('<|end|>', True)]
    """
    made = []
    for special, run in itertools.groupby(parts, key=lambda part: part in names):
        made += [(part, special) for part in (run if special else ["".join(run)])]
    return [part for part in made if part[0]]


def draw_text(random, parts, most):
    """Return up to ``most`` of the parts, joined.

    >>> from random import Random
    >>> draw_text(Random(0), ["ab"], 3)
    'ababab'
    """
    return "".join(random.choices(parts, k=random.randint(0, most)))


def draw_talk(random, roles, number, parts, most):
    """Return ``number`` messages with these roles, each with up to ``most`` of the parts as its content.

    >>> from random import Random
    >>> draw_talk(Random(0), ["user"], 1, ["ab"], 1)
    [{'role': 'user', 'content': 'ab'}]
    """
    return [{"role": random.choice(roles), "content": draw_text(random, parts, most)} for _ in range(number)]
