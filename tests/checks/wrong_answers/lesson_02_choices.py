"""Wrong answers to the last two exercises of lesson 02: the detective of tie rules, and the fair tokenizer."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_RULES = """
        def rules_behind(words, merges):
            tokens = [bytes([byte]) for byte in range(256)]
            printed = sorted(range(256), key=lambda byte: not printable(byte))
            order = {byte: number for number, byte in enumerate(printed)}
            rules = {
                "first-seen": lambda tied: tied[0],
                "greatest-bytes": lambda tied: max(tied, key=lambda pair: GREATEST),
                "smallest-pair": min,
                "huggingface": lambda tied: min(tied, key=lambda pair: NUMBERS),
            }
            suspects = list(rules)
            now = [(list(word), WEIGHT) for word, count in words.items()]
            for new_id, pair in enumerate(map(tuple, merges), 256):
                counts = count_pairs(now)
                most = max(counts.values(), default=0)
                tied = [one for one in counts if counts[one] == most]
                suspects = [name for name in suspects if tied and rules[name](tied) == pair]
                if not suspects:
                    break
                tokens.append(tokens[pair[0]] + tokens[pair[1]])
                now = [(merge(ids, pair, new_id), count) for ids, count in now]
            return suspects


        def printable(byte):
            return 33 <= byte < 127 or 161 <= byte < 173 or 174 <= byte
"""


def _rules(greatest: str = "", numbers: str = "", weight: str = "count") -> str:
    source = _RULES.replace("GREATEST", greatest or "(tokens[pair[0]], tokens[pair[1]])")
    return source.replace("NUMBERS", numbers or "[order.get(i, i) for i in pair]").replace("WEIGHT", weight)


WRONG = [
    Wrong("02.rules_behind", "joined bytes", _rules("tokens[pair[0]] + tokens[pair[1]]"), "compares-the-joined-bytes"),
    Wrong("02.rules_behind", "greatest ids", _rules("pair"), "greatest-numbers"),
    Wrong("02.rules_behind", "bytes as they are", _rules(numbers="pair"), "bytes-in-plain-order"),
    Wrong("02.rules_behind", "each word once", _rules(weight="1"), "ignores-counts"),
    Wrong(
        "02.rules_behind",
        "a tie of left halves is not looked into",
        _rules("tokens[pair[0]]"),
        "forgets-the-right-half",
    ),
    Wrong(
        "02.rules_behind",
        "the first tie settles it",
        _rules().replace("if not suspects:", "if not suspects or len(tied) > 1:"),
        "only-the-first-tie",
    ),
    Wrong(
        "02.rules_behind",
        "a pair without a rival passes",
        _rules().replace("if tied and rules", "if pair not in tied or rules"),
        "lets-rare-pairs-pass",
    ),
    Wrong(
        "02.rules_behind",
        "all of them, always",
        """
        def rules_behind(words, merges):
            return ["first-seen", "greatest-bytes", "smallest-pair", "huggingface"]
        """,
        "accuses-everybody",
    ),
    Wrong(
        "02.fair_merges",
        "plain training",
        """
        def fair_merges(texts, number):
            return train_merges({text: 1 for text in texts.values()}, number)
        """,
        "below the level",
    ),
    Wrong(
        "02.fair_merges",
        "nothing for English",
        """
        def fair_merges(texts, number):
            return train_merges({text: 1 for name, text in texts.items() if name != "English"}, number)
        """,
        "below the level",
    ),
    Wrong(
        "02.fair_merges",
        "more than allowed",
        """
        def fair_merges(texts, number):
            return [pair for text in texts.values() for pair in train_merges({text: 1}, number)]
        """,
        "not allowed",
    ),
    Wrong(
        "02.fair_merges",
        "ids that mean nothing together",
        """
        def fair_merges(texts, number):
            share = number // len(texts)
            return [pair for text in reversed(texts.values()) for pair in train_merges({text: 1}, share)][::-1]
        """,
        "not allowed",
    ),
    Wrong(
        "02.fair_merges",
        "a dict, as the lesson has it",
        """
        def fair_merges(texts, number):
            merges = train_merges({text: 1 for text in texts.values()}, number)
            return {pair: new_id for new_id, pair in enumerate(merges, 256)}
        """,
        "not allowed",
    ),
]
