"""Wrong answers to the exercises of lesson 10: draw_path."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

DRAWS = [
    Wrong(
        "10.draw_path",
        "only how likely the piece is",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [weight(text[begin:end]) for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="its-own-share-only",
    ),
    Wrong(
        "10.draw_path",
        "only how likely its beginning is",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="what-leads-there-only",
    ),
    Wrong(
        "10.draw_path",
        "forgets alpha",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="forgets-alpha",
    ),
    Wrong(
        "10.draw_path",
        "alpha in front of exp",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return alpha * exp(scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="alpha-as-factor",
    ),
    Wrong(
        "10.draw_path",
        "the shortest first",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in reversed(range(end)) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="shortest-first",
    ),
    Wrong(
        "10.draw_path",
        "one number for all",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                rest = left[0] * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="one-number",
    ),
    Wrong(
        "10.draw_path",
        "from the end to the beginning",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path
        """,
        hint="not-turned-round",
    ),
    Wrong(
        "10.draw_path",
        "the best way",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] = max(total[end], total[begin] * weight(text[begin:end]))
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                begin = begins[shares.index(max(shares))]
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="always-the-likeliest",
    ),
    Wrong(
        "10.draw_path",
        "from left to right",
        """
        def draw_path(text, scores, alpha, numbers):
            from math import exp
            def weight(piece):
                return exp(alpha * scores[piece])
            total = [1.0] + [0.0] * len(text)
            for end in range(1, len(text) + 1):
                for begin in range(end):
                    if text[begin:end] in scores:
                        total[end] += total[begin] * weight(text[begin:end])
            left, path, at = list(numbers), [], 0
            while at < len(text):
                ends = [end for end in range(at + 1, len(text) + 1) if text[at:end] in scores]
                rest = left.pop(0) * sum(weight(text[at:end]) for end in ends)
                for end in ends:
                    rest -= weight(text[at:end])
                    if rest < 0:
                        break
                path.append(text[at:end])
                at = end
            return path
            path, end, left = [], len(text), list(numbers)
            while end:
                begins = [begin for begin in range(end) if text[begin:end] in scores]
                shares = [total[begin] * weight(text[begin:end]) for begin in begins]
                rest = left.pop(0) * sum(shares)
                for begin, share in zip(begins, shares):
                    rest -= share
                    if rest < 0:
                        break
                path.append(text[begin:end])
                end = begin
            return path[::-1]
        """,
        hint="",
    ),
]
