"""WordPiece, readable: the longest token that a word begins with, then the longest one after that, and so on.

    unaffable     un | ##aff | ##able        each token but the first of a word has a mark
    unaffablé     [UNK]                      one character that no token has, and nothing of the word is left

https://arxiv.org/abs/1609.08144 uses it for translation, and https://arxiv.org/abs/1810.04805 for BERT, with the rules
of ``basic_words``. The fast version is ``kernels.sentencepiece.word_pieces``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping


def encode_word(
    word: str, ids: Mapping[str, int], mark: str = "##", unknown: str = "[UNK]", longest: int = 100
) -> list[int]:
    """Return the ids of one word. longest : a word of more characters is unknown.

    >>> encode_word("ababa", {"[UNK]": 0, "a": 1, "ab": 2, "##aba": 3, "##ab": 4})
    [2, 3]
    >>> encode_word("abb", {"[UNK]": 0, "a": 1, "ab": 2, "##aba": 3, "##ab": 4})
    [0]
    """
    if len(word) > longest:
        return [ids[unknown]]
    found = []
    start = 0
    while start < len(word):
        prefix = mark if start else ""
        end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in ids), None)
        if end is None:
            return [ids[unknown]]
        found.append(ids[prefix + word[start:end]])
        start = end
    return found


def basic_words(text: str, lowercase: bool = True) -> list[str]:
    """Return the words that BERT's rules make of a text.

    Control characters go, Chinese characters and punctuation become words, and where letters become small, accents go.
    The characters are those of the Unicode of this Python; a tokenizer.json has the older ones of `tokenizers`.

    >>> basic_words("Héllo,\\x00 中国!")
    ['hello', ',', '中', '国', '!']
    """
    spread = ""
    for character in text:
        if character in "\t\n\r" or unicodedata.category(character) == "Zs":
            spread += " "
        elif unicodedata.category(character)[0] != "C" and character != "\ufffd":
            spread += f" {character} " if _is_chinese(character) else character
    if lowercase:
        parts = unicodedata.normalize("NFD", spread)
        spread = "".join(each for each in parts if unicodedata.category(each) != "Mn").lower()
    for character in set(spread):
        if _is_punctuation(character):
            spread = spread.replace(character, f" {character} ")
    return spread.split()


def _is_chinese(character: str) -> bool:
    return any(
        first <= ord(character) <= last for first, last in ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))
    )


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] == "P" or character in "$+<=>^`|~"


def encode(text: str, ids: Mapping[str, int], lowercase: bool = True) -> list[int]:
    """Return the ids of a text.

    >>> encode("Ab!", {"[UNK]": 0, "a": 1, "##b": 2, "!": 3})
    [1, 2, 3]
    """
    return [token_id for word in basic_words(text, lowercase) for token_id in encode_word(word, ids)]
