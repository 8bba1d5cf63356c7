"""Exercise 01.test_cut_before: write a test that accepts three right ways to cut UTF-8 and rejects ten wrong ones."""

from functools import partial

from minbpe_course.learning import Exercise, mutant


def test_cut_before(cut_before):
    """Raise an error for every ``cut_before`` that breaks its promise.

    That bug survived for months because all its tests were in English. Write the test that would have found it, along
    with its relatives.

    * **In:** `cut_before`, some implementation of the function above.
    * **Out:** nothing. A test passes when it runs to the end. It fails when an `assert` fails or when the
      implementation raises an error.

    Your test runs on three correct implementations, each written differently, and on ten wrong ones. It must pass for
    every correct one, so test only what the task promises: `data` is valid UTF-8 and `limit` is 0 or more. Catching
    half of the wrong ones earns half of the points. This, for example, is a test that catches one of them:

    ```python
    assert cut_before("5 €".encode(), 4) == b"5 "
    ```
    """
    for sample in ("", "plain", "aé€👋z", "👋€éa"):
        whole = sample.encode("utf-8")
        beginnings = [sample[:size].encode("utf-8") for size in range(len(sample) + 1)]
        for limit in range(len(whole) + 3):
            longest = max((each for each in beginnings if len(each) <= limit), key=len)
            assert cut_before(whole, limit) == longest, f"cut_before({whole}, {limit}) should be {longest}"


_BACK = """
def cut_before(data, limit):
    end = min(limit, len(data))
    while end < len(data) and 0x80 <= data[end] < 0xC0:
        end -= 1
    return data[:end]
"""


_IGNORING = """
def cut_before(data, limit):
    return data[:limit].decode("utf-8", errors="ignore").encode("utf-8")
"""


_FORWARD = """
def cut_before(data, limit):
    kept = b""
    for one in data.decode():
        if len(kept + one.encode()) > limit:
            break
        kept += one.encode()
    return kept
"""


wrong = partial(mutant, _BACK)

EXERCISE = Exercise(
    "01.test_cut_before",
    "Ten bad knives",
    "test",
    answer=test_cut_before,
    subject="cut_before",
    difficulty=3,
    minutes=15,
    hints=(
        "First put the promise into words: a beginning of the data, only whole characters, within the limit, and as "
        "long as possible.",
        "Lesson 01, section 3, shows a bug that English hides: which characters must a text contain to expose it?",
        "Take a text with characters of all four lengths. For every limit from 0 to beyond the end, compare with the "
        "answer that you build from the text itself, by joining its first k characters.",
    ),
    right=(_BACK, _IGNORING, _FORWARD),
    mutants=(
        wrong("no-care", "cuts through characters", ("end -= 1", "break")),
        wrong(
            "drops-what-fits",
            "drops a last character that would just fit",
            ("end < len(data) and 0x80 <= data[end] < 0xC0", "end > 0 and 0x80 <= data[end - 1] < 0xC0"),
            ("data[:end]", "data[: end - (end > 0 and data[end - 1] >= 0xC0)]"),
        ),
        wrong("one-step", "cuts through some characters of three bytes", ("while", "if")),
        wrong("two-steps", "cuts through some characters of four bytes", ("while ", "while end > limit - 2 and ")),
        wrong(
            "counts-characters", "counts characters instead of bytes", ("data[:end]", "data.decode()[:limit].encode()")
        ),
        wrong(
            "one-short",
            "never uses the last byte that the limit allows",
            ("min(limit, len(data))", "limit - 1 if 0 < limit <= len(data) else limit"),
            ("while ", "while 0 < "),
        ),
        wrong(
            "puts-diamonds",
            "puts a replacement character where it cuts",
            ("data[:end]", "data[:limit].decode('utf-8', 'replace').encode()"),
        ),
        wrong("zero-is-no-limit", "takes a limit of 0 for no limit", ("min(limit,", "min(limit or len(data),")),
        wrong(
            "past-the-end",
            "fails when the limit is not inside the data",
            ("min(limit, len(data))", "limit"),
            ("end < len(data) and ", ""),
        ),
        wrong("gives-up", "returns nothing at all when the limit is inside a character", ("end -= 1", "return b''")),
    ),
)
