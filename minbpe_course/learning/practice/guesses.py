"""``how_close(guess, value)``: compare a typed prediction with what was measured."""

from __future__ import annotations

from typing import Any

LARGEST = 1e300
SMALL = 100  # below, the difference says more than a percentage


def how_close(guess: Any, value: Any, what: str = "") -> None:
    """Print how far a guess is from the value. A guess that is ``...`` or None was not typed.

    guess, value : numbers, or anything that can be compared. what : the unit, such as "ids".

    >>> how_close(7, 9, "ids")
    9 ids. You guessed 7: 2 too low.
    >>> how_close(300, 400)
    400. You guessed 300: 25 % too low.
    >>> how_close("ab", "ab")
    'ab'. Your guess is right.
    >>> how_close(..., 9)
    9. You typed no guess.
    """
    shown = f"{_shown(value)} {what}".rstrip()
    if guess is ... or guess is None:
        print(f"{shown}. You typed no guess.")
    elif guess == value or (_is_number(guess) and _is_number(value) and _shown(guess) == _shown(value)):
        print(f"{shown}. Your guess is right.")
    elif not (_is_number(guess) and _is_number(value)) or not value:
        print(f"{shown}. You guessed {_shown(guess)}.")
    elif isinstance(guess, int) and isinstance(value, int) and abs(value) < SMALL and abs(guess) < SMALL:
        print(f"{shown}. You guessed {guess}: {abs(guess - value)} too {'high' if guess > value else 'low'}.")
    elif abs(guess) > LARGEST or abs(value) > LARGEST:
        print(f"{shown}. You guessed {_shown(guess)}.")
    elif guess * value > 0 and not 0.5 <= guess / value <= 2:
        times = max(guess / value, value / guess)
        print(f"{shown}. You guessed {_shown(guess)}: {times:.3g} times too {'high' if guess > value else 'low'}.")
    else:
        away = abs(guess - value) / abs(value)
        print(
            f"{shown}. You guessed {_shown(guess)}: {away:.0%} too {'high' if guess > value else 'low'}.".replace(
                "%", " %"
            )
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if _is_number(value) else repr(value)
