"""Exercise 16.retokenized: which ids of a text that was decoded and encoded again did the model really choose?"""

from minbpe_course.learning import Exercise, Mistake


def retokenized(prompt, sampled, again, tokens):
    """Return the loss mask of a text that was decoded and encoded again.

    A model continued the ids `prompt` with the ids `sampled`. A program kept only the text and encoded it again, so the
    ids may be others now. Which of the new ids did the model really choose? An id counts if the model sampled **the
    same id at the same byte** of the text. The ids of the prompt never count.

    * **In:** `prompt`, `sampled` and `again`, lists of ids; `again` spells the same bytes as `prompt + sampled`; and
      `tokens`, a dict from each id to its bytes.
    * **Out:** a list of bool, one for each id of `again`.

    ```
    tokens = {1: b"a", 2: b"b", 3: b"c", 12: b"ab", 23: b"bc"}
    retokenized([1], [2, 3], [12, 3], tokens)    ->  [False, True]     # "ab" begins in the prompt
    retokenized([1], [2, 3], [1, 23], tokens)    ->  [False, False]    # the model sampled b and c, not bc
    ```
    """
    at = sum(len(tokens[token]) for token in prompt)
    chosen = set()
    for token in sampled:
        chosen.add((at, token))
        at += len(tokens[token])
    mask, at = [], 0
    for token in again:
        mask.append((at, token) in chosen)
        at += len(tokens[token])
    return mask


def by_index(prompt, sampled, again, tokens):
    """Compare position by position, which goes wrong after the first change of length."""
    old = prompt + sampled
    return [at >= len(prompt) and at < len(old) and old[at] == token for at, token in enumerate(again)]


def by_number(prompt, sampled, again, tokens):
    """Count off the prompt's ids, as many training loops do."""
    return [at >= len(prompt) for at in range(len(again))]


def by_place(prompt, sampled, again, tokens):
    mask, at, begins = [], 0, sum(len(tokens[token]) for token in prompt)
    for token in again:
        mask.append(at >= begins)
        at += len(tokens[token])
    return mask


SAME, ACROSS, CHANGED, LATER = (
    "ids that stay the same",
    "a token across the end of the prompt",
    "ids that change in the answer",
    "the same id at another byte",
)
TOKENS = {1: b"a", 2: b"b", 3: b"c", 12: b"ab", 23: b"bc", 11: b"aa", 123: b"abc"}


def _spelled(ids):
    return b"".join(map(TOKENS.__getitem__, ids))


def _cut(data, random):
    """Return one of the ways to spell these bytes."""
    ids = []
    while data:
        fits = [token for token, spelled in TOKENS.items() if data.startswith(spelled)]
        ids.append(random.choice(fits))
        data = data[len(TOKENS[ids[-1]]) :]
    return ids


def _category(prompt, sampled, again):
    if again == prompt + sampled:
        return SAME
    if by_number(prompt, sampled, again, TOKENS) != by_place(prompt, sampled, again, TOKENS):
        return ACROSS
    return LATER if {*again} <= {*sampled, *prompt} else CHANGED


def cases(random):
    wanted = dict.fromkeys((SAME, ACROSS, CHANGED, LATER), 7)
    size = 8
    yield SAME, [1], [], [1], TOKENS
    yield SAME, [], [1, 23], [1, 23], TOKENS
    while any(wanted.values()):
        size += 1
        prompt = random.choices([*TOKENS], k=random.randint(1, 3))
        sampled = random.choices([*TOKENS], k=1 + size // 8 % 6)
        again = [*prompt, *sampled] if wanted[SAME] else _cut(_spelled(prompt + sampled), random)
        category = _category(prompt, sampled, again)
        if wanted[category]:
            wanted[category] -= 1
            yield category, prompt, sampled, again, TOKENS


EXERCISE = Exercise(
    "16.retokenized",
    "The mask after encoding again",
    "write",
    answer=retokenized,
    difficulty=3,
    minutes=12,
    points=3,
    hints=(
        "The ids may be others, but the bytes are the same. So compare places in bytes, not in ids.",
        "Lesson 16, on a text with many spellings, compares ` P`, `antom` with ` Pant`, `om`.",
        "put (byte at which it begins, id) of each sampled id into a set, from the end of the prompt on; walk over the "
        "new ids in the same way, from byte 0 on, and ask for each whether it is in the set",
    ),
    shown=(
        (SAME, [1], [2], [1, 2], TOKENS),
        (ACROSS, [1], [2, 3], [12, 3], TOKENS),
        (CHANGED, [1], [2, 3], [1, 23], TOKENS),
        (LATER, [1], [1, 2, 12, 1, 2], [1, 12, 1, 2, 12], TOKENS),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "by-the-length-of-the-prompt",
            "You count off as many ids as the prompt had. Encoded again, the prompt may have fewer, or end inside one.",
            like=by_number,
        ),
        Mistake(
            "everything-after-the-prompt",
            "Those are the ids after the prompt. Some of them the model did not choose: it sampled others there.",
            like=by_place,
        ),
        Mistake(
            "by-index",
            "After the first change, the same token has another index. Compare the bytes at which tokens begin.",
            like=by_index,
        ),
        Mistake(
            "anywhere",
            "The same id must begin at the same byte. Yours may be anywhere in the answer.",
            like=("(at, token) in chosen", "token in sampled"),
        ),
        Mistake(
            "with-the-prompt",
            "The ids of the prompt never count: the model did not choose them.",
            like=(
                ("at = sum(len(tokens[token]) for token in prompt)", "at = 0"),
                ("in sampled:", "in prompt + sampled:"),
            ),
        ),
    ),
)
