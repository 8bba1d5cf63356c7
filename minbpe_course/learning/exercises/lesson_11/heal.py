"""Exercise 11.heal: how far to go back at the end of a prompt, and which tokens may come next."""

from minbpe_course.learning import Exercise, Mistake


def heal(tokens, vocabulary):
    """Return how many tokens of the prompt to keep, and the tokens that may come next.

    A prompt ends, and a model has to continue it. Some tokens at the end may be there only because the text stopped. Go
    back as far as *one* token of the vocabulary could reach.

    * **In:** `tokens`, a list of bytes, the prompt; `vocabulary`, a list of bytes, all the tokens there are.
    * **Out:** a pair: how many tokens to keep, and the list of the tokens that may come next.
    * Try the places before each token, from the first one on. Stop at the **first** place where some token of the
      vocabulary begins with everything from there to the end of the prompt, and is longer. Keep the tokens before that
      place. Every token that begins with the text you removed may come next, including one that is exactly that text.
      List them in the order of the vocabulary.
    * If there is no such place, keep everything and return an empty list.

    With the vocabulary `h`, `t`, `p`, `http`, `https`, `:`, `://`:

    | prompt | keep | may come next |
    |---|---|---|
    | `http`, `:` | 1 | `:`, `://` |
    | `h`, `t`, `t` | 0 | `http`, `https` |
    | `://` | 1 | nothing: no token begins with `://` and is longer |
    """
    for place in range(len(tokens)):
        taken = b"".join(tokens[place:])
        allowed = [token for token in vocabulary if token.startswith(taken)]
        if any(len(token) > len(taken) for token in allowed):
            return place, allowed
    return len(tokens), []


def heal_while_it_lasts(tokens, vocabulary):
    healed = len(tokens), []
    for at in reversed(range(len(tokens))):
        place, allowed = heal(tokens[at:], vocabulary)
        if place:
            break
        healed = at, allowed
    return healed


def one_back(tokens, vocabulary):
    return max(len(tokens) - 1, 0), [token for token in vocabulary if token.startswith(b"".join(tokens[-1:]))]


URL = b"h|t|p|http|https|:|://".split(b"|")
ONE = "one token back"
SEVERAL = "several tokens back"
GAP = "several tokens back, over one that begins nothing"
NOTHING = "no longer token"
VOCABULARIES = (
    b"a|b|c|ab|abc|bc| | a| ab|ca",
    b"h|t|p|ht|tp|http|https|:|://|s|/",
    b"\xe2|\x99|\x9e|\xe2\x99|\xe2\x99\x9e|a| | \xe2|a |\x9ea",
)


def cases(random):
    yield NOTHING, [], [b"a", b"ab"]
    yield NOTHING, [b"a", b"b"], [b"a", b"b"]
    wanted = dict.fromkeys((ONE, SEVERAL, GAP, NOTHING), 6)
    while any(wanted.values()):
        table = random.choice(VOCABULARIES).split(b"|")
        table = random.sample(table, len(table))
        tokens = random.choices(table, k=random.randint(1, 5))
        kept, _ = heal(tokens, table)
        back = len(tokens) - kept
        category = NOTHING if back == 0 else ONE if back == 1 else SEVERAL
        if back > 1 and heal_while_it_lasts(tokens, table)[0] != kept:
            category = GAP
        if wanted[category]:
            wanted[category] -= 1
            yield category, tokens, table


EXERCISE = Exercise(
    "11.heal",
    "Far enough back",
    "write",
    answer=heal,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "For each position: which text would you remove from there on, and is there a token that extends it?",
        "Lesson 11: healing takes one token back, and counts how often that is too few.",
        "for every position, the first one first: taken = the bytes from there on, joined; if some token "
        "begins with taken and is longer: keep the tokens before it, and allow all tokens that begin with"
        " taken",
    ),
    shown=(
        (ONE, [b"http", b":"], URL),
        (NOTHING, [b"://"], URL),
        (GAP, [b"h", b"t", b"t"], URL),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "stops-too-early",
            "A step without a longer token does not end the search: there may be one further back.",
            like=heal_while_it_lasts,
        ),
        Mistake(
            "nearest",
            "Go as far back as one token can reach: look for the first place, not the last.",
            like=("range(len(tokens))", "reversed(range(len(tokens)))"),
        ),
        Mistake(
            "no-reason",
            "If nothing longer is possible at that place, there is no reason to go back.",
            like=("any(len(token) > len(taken) for token in allowed)", "allowed"),
        ),
        Mistake(
            "only-longer",
            "The text may end right there: a token that is exactly the removed text is allowed as well.",
            like=("place, allowed", "place, [token for token in allowed if token != taken]"),
        ),
        Mistake(
            "last-token-only",
            "The longer token may begin further back than at the last token.",
            like=("range(len(tokens))", "range(len(tokens))[-1:]"),
        ),
        Mistake(
            "end-of-the-prompt",
            "At the end of the prompt nothing has been removed, so it is not a place to try.",
            like=("range(len(tokens))", "range(len(tokens) + 1)"),
        ),
        Mistake(
            "sorted",
            "List the tokens in the order of the vocabulary.",
            like=("place, allowed", "place, sorted(allowed)"),
        ),
        Mistake(
            "taken-for-kept",
            "The first number is how many tokens to keep, not how many to take back.",
            like=(("return place", "return len(tokens) - place"), ("return len(tokens), []", "return 0, []")),
        ),
        Mistake(
            "one-back",
            "One token back is a guess: sometimes a longer token begins further back, sometimes there is none.",
            like=one_back,
        ),
    ),
)
