"""Exercise 06.encode_by_score: SentencePiece's merges."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.fewest_tokens import longest_match


def encode_by_score(text, scores, whole):
    """Return the pieces of a normalized text, a list of str.

    This is the heart of the lesson, and a little more.

    * **In:** `text`, a str that is already normalized; `scores`, a dict from piece to score; `whole`, a list of pieces
      that are cut out **whole** before anything is merged (the USER_DEFINED ones).
    * **Out:** the list of symbols at the end, each a str.
    * First, go from left to right. Wherever a piece of `whole` occurs, cut it out; if several fit, take the longest.
      Split the rest into single characters.
    * Then make one merge at a time. Of all neighbors whose joined text is in `scores`, take those with the best score,
      which is the greatest; if scores are equal, take the leftmost. The pieces you cut out whole never join anything.

    ```
    encode_by_score("aab", {"ab": -1.0, "aa": -2.0}, [])   ->  ["a", "ab"]
    encode_by_score("a<s>a", {"a<": 0.0}, ["<s>"])         ->  ["a", "<s>", "a"]
    ```

    The check tries scores that differ, tied scores, pieces that never join, and an empty text. The picture shows a tie.
    """
    row, at = [], 0
    while at < len(text):
        fitting = [piece for piece in whole if piece and text.startswith(piece, at)]
        taken = max(fitting, key=len, default=text[at])
        row.append((taken, bool(fitting)))
        at += len(taken)
    while True:
        best = None
        for place in range(len(row) - 1):
            (one, fixed), (two, stays) = row[place], row[place + 1]
            if fixed or stays or one + two not in scores:
                continue
            if best is None or scores[one + two] > scores[row[best][0] + row[best + 1][0]]:
                best = place
        if best is None:
            return [symbol for symbol, _ in row]
        row[best : best + 2] = [(row[best][0] + row[best + 1][0], False)]


def cases(random):
    for one_in_another in (["<s>", "<s>>"], ["<s>>", "<s>"]):
        yield "pieces that never join", "<s>>", {}, one_in_another
    for length in [*range(0, 30), 60, 120]:
        letters = random.choice(("ab", "abc▁", "aé▁", "中文▁a"))
        text = "".join(random.choices(letters, k=length))
        cuts = [text[at : at + size] for at in range(length) for size in (2, 3, 4) if at + size <= length]
        pieces = random.sample(sorted(set(cuts)), min(len(set(cuts)), 12))
        ties = random.random() < 0.5
        scores = {piece: -float(random.randrange(3) if ties else at) for at, piece in enumerate(pieces)}
        category = "tied scores" if ties else "scores that differ"
        whole = []
        if length > 4 and random.random() < 0.4:
            category, whole = "pieces that never join", sorted({random.choice(cuts), random.choice(cuts)})
        yield category if length else "empty text", text, scores, whole


EXERCISE = Exercise(
    "06.encode_by_score",
    "SentencePiece's merges",
    "match",
    answer=encode_by_score,
    picture="""
from minbpe_course.showing import compare_tokens

steps = {"start": ["a", "a", "a", "a"], "aa, the leftmost": ["aa", "a", "a"], "aaa, with the same score": ["aaa", "a"]}
rows = {label: (pieces, None) for label, pieces in steps.items()}
compare_tokens(rows, title="aaaa with two pieces that have the same score, aa and aaa")
""",
    difficulty=4,
    minutes=25,
    points=4,
    hints=(
        "Before the first merge, some symbols are whole pieces and the others are single characters. How do you "
        "remember which ones may join?",
        "Lesson 06, where you merge the best score first: merging everywhere at once is wrong. It also shows the "
        "pieces that are cut out first.",
        "look at all neighbors that spell a piece and may join; take the best score, or the leftmost if scores are "
        "equal; merge at that one place; begin again",
    ),
    shown=(
        ("scores that differ", "aab", {"ab": -1.0, "aa": -2.0}, []),
        ("empty text", "", {}, []),
        ("tied scores", "aaaa", {"aa": -1.0, "aaa": -1.0}, []),
        ("pieces that never join", "a<s>a", {"a<": 0.0, "s>": 0.0, ">a": 0.0}, ["<s>"]),
        ("pieces that never join", "<s>>", {}, ["<s>", "<s>>"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake("rightmost", "Of equal scores the leftmost wins: > or >= ?", like=("> scores[row", ">= scores[row")),
        Mistake(
            "all-at-once",
            "One merge at a time: after it, a pair further left may have the same score.",
            like=(
                "row[best : best + 2] = [(row[best][0] + row[best + 1][0], False)]",
                "pair = row[best : best + 2]\n"
                "        for place in range(len(row)):\n"
                "            if row[place : place + 2] == pair:\n"
                "                row[place : place + 2] = [(pair[0][0] + pair[1][0], False)]",
            ),
        ),
        Mistake(
            "lowest",
            "Scores are ranks with a minus sign: the greatest score is first.",
            like=("> scores[row", "< scores[row"),
        ),
        Mistake(
            "joins-whole",
            "Cut out the pieces of `whole` before any merge, and never join them.",
            like=lambda text, scores, whole: encode_by_score(text, scores, []),
        ),
        Mistake(
            "longest-match",
            "That is longest match: another tokenizer. Scores decide.",
            like=lambda text, scores, whole: longest_match(
                text.encode(), {piece.encode(): piece for piece in (*text, *scores, *whole)}
            ),
        ),
    ),
)
