"""Exercise 11.stream_after_prompt: a stream that starts in the middle of a character.

The planted mistake is that of vLLM's issue 48853: where the prompt ended in half a character, the first piece of the
stream repeated the whole prompt.
"""

import codecs

from minbpe_course.learning import Exercise, Mistake

from .certain_text import certain_text


def stream_after_prompt(prompt, tokens):
    r"""Return the new text after each token, without the prompt, which is on the screen already.

    A server streams the answer of a model. It decodes the tokens of the prompt, too, because the answer may begin with
    the rest of a character that the prompt has begun. The function below holds everything back while the text ends in
    U+FFFD. Most prompts end in a whole character, and for these it works. But if a prompt ends in *half* of one, the
    first text of the answer repeats the whole prompt. (In 2026, a widely used server [did
    this](https://github.com/vllm-project/vllm/issues/48853).) Repair it.

    * **In:** `prompt` and `tokens`, two lists of bytes.
    * **Out:** a list of str, one for each token and one at the end: the text that is certain after that token and is
      not on the screen yet. The last one is what is left when the answer has ended: bytes that still wait become
      U+FFFD.
    * The screen shows what is certain after the prompt alone. A character that the prompt has begun isn't on the
      screen, so it belongs to the answer: as a whole, or as U+FFFD if the tokens don't complete it.

    ```
    stream_after_prompt([b"A "], [b"\xe2\x99", b"\x9e!"])        ->  ["", "♞!", ""]
    stream_after_prompt([b"A \xe2"], [b"\x99", b"\x9e!"])        ->  ["", "♞!", ""]
    ```
    """
    ### BEGIN SOLUTION
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    decoder.decode(b"".join(prompt))
    return [*map(decoder.decode, tokens), decoder.decode(b"", final=True)]
    ### INSTEAD
    # data, shown, texts = b"".join(prompt), "", []
    # if not data.decode("utf-8", errors="replace").endswith("\ufffd"):
    #     shown = data.decode("utf-8", errors="replace")
    # for token in tokens:
    #     data += token
    #     text = data.decode("utf-8", errors="replace")
    #     if text.endswith("\ufffd"):
    #         texts.append("")
    #     else:
    #         texts.append(text[len(shown) :])
    #         shown = text
    # return [*texts, data.decode("utf-8", errors="replace")[len(shown) :]]
    ### END SOLUTION


def by_hand(prompt, tokens):
    """Decode what is certain by hand, as an independent witness."""
    _, waiting = certain_text(b"".join(prompt))
    texts = []
    for token in tokens:
        text, waiting = certain_text(waiting + token)
        texts.append(text)
    return [*texts, waiting.decode("utf-8", "replace")]


def only_the_answer(prompt, tokens):
    return by_hand([], tokens)


def cut_to_length(prompt, tokens):
    """Decode everything, and count characters of the prompt, of which half a one is U+FFFD."""
    shown = len(b"".join(prompt).decode("utf-8", "replace"))
    pieces = by_hand([], [b"".join(prompt), *tokens])
    texts, before = [], len(pieces[0])
    for text in pieces[1:]:
        begin, before = max(0, shown - before), before + len(text)
        texts.append(text[begin:])
    return texts


WHOLE, HALF, NEVER = "a prompt of whole characters", "a prompt that ends in half a character", "it is never completed"
BROKEN = "broken bytes in the prompt"


def cases(random):
    yield WHOLE, [], [b"a"]
    for size in range(1, 8):
        text = "".join(random.choices("abé中 ♞", k=size))
        said = "".join(random.choices("xy ж🙂", k=size)).encode()
        answer = [said[at : at + 2] for at in range(0, len(said), 2)]
        letter = random.choice("♞🙂中").encode()
        cut = random.randint(1, len(letter) - 1)
        yield WHOLE, [letter.encode() for letter in text], answer
        yield HALF, [text.encode(), letter[:cut]], [letter[cut:], *answer]
        yield HALF, [text.encode() + letter[:1]], [*(bytes([byte]) for byte in letter[1:]), *answer]
        yield NEVER, [text.encode() + letter[:cut]], [b"x", *answer]
        yield NEVER, [text.encode() + letter[:cut]], []
        yield BROKEN, [text.encode(), random.choice([b"\xff", b"\x80", b"a\xc0"])], answer


EXERCISE = Exercise(
    "11.stream_after_prompt",
    "The answer that begins with the question",
    "repair",
    answer=stream_after_prompt,
    wanted=by_hand,
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "What is `shown` after a prompt that ends in half a character? What is really on the screen?",
        "Lesson 11, section 1: a decoder that keeps the bytes that wait. Whose bytes may these be?",
        "make one incremental decoder; give it the prompt, and throw away the text that it returns; then return what "
        "it says for each token, and at last for b'' with final=True",
    ),
    shown=(
        (WHOLE, [b"A "], [b"\xe2\x99", b"\x9e!"]),
        (HALF, [b"A \xe2"], [b"\x99", b"\x9e!"]),
        (NEVER, [b"A \xe2"], [b"x"]),
        (BROKEN, [b"A\xff"], [b"x"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "forgets-the-prompt",
            "The first token may be the rest of a character that the prompt has begun.",
            like=only_the_answer,
        ),
        Mistake(
            "half-is-shown",
            "The half character at the end of the prompt counts as shown, so the whole one is missing.",
            like=cut_to_length,
        ),
        Mistake(
            "without-the-end",
            "Bytes may still wait after the last token. One more text belongs at the end of the list.",
            like=(', decoder.decode(b"", final=True)', ""),
        ),
        Mistake(
            "with-the-prompt",
            "The text of the prompt is on the screen already.",
            like=lambda prompt, tokens: by_hand([], [b"".join(prompt), *tokens]),
        ),
    ),
)
