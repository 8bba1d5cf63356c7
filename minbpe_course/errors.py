"""Every exception that a user of this package can cause.

A message says what went wrong, where, and what to type next. An exception that replaces one of an imitated library is
also a subclass of what that library raises, so that existing ``except`` clauses keep working.
"""

from __future__ import annotations


class MinbpeCourseError(Exception):
    """The base class: ``except MinbpeCourseError`` catches everything that this package raises on purpose."""

    def __str__(self) -> str:
        # KeyError shows its message as a repr, which turns every line break into a visible \n.
        return "\n".join(str(part) for part in self.args)


class _ShownBriefly:
    """In a notebook only the message is shown: the traceback contains nothing that a learner can fix."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


# ---- Text, tokens and vocabularies


class InvalidOption(MinbpeCourseError, ValueError, TypeError):
    """An option does not exist, has the wrong type, is out of its range, or contradicts another."""


class InvalidTrainingOption(InvalidOption, RuntimeError):
    """``train_sentencepiece`` cannot train with these options, to this size, or on nothing.

    Its own class, because sentencepiece raises RuntimeError for all of these.
    """


class InvalidVocabularySize(MinbpeCourseError, ValueError, AssertionError):
    """The vocabulary size is not a whole number, or too small for the 256 bytes."""


class InvalidPattern(MinbpeCourseError, ValueError):
    """The split pattern is not a regular expression, or loses text."""


class UnsupportedPattern(InvalidPattern):
    """The split pattern uses something that cannot be done here exactly, in a page or in a stage of training."""


class UnknownEncoding(MinbpeCourseError, ValueError, KeyError):
    """No vocabulary has this name, no language model is called that, or a plugin of tiktoken cannot be read.

    tiktoken raises ValueError for an encoding, KeyError for a language model.
    """


class DisallowedSpecialToken(MinbpeCourseError, ValueError, AssertionError):
    """The text contains a special token, and the caller did not say how to treat it."""


class InvalidSpecialToken(MinbpeCourseError, ValueError, TypeError):
    """A special token is empty, is not text, or has a wrong id; or the choice of special tokens is contradictory."""


class InvalidTokenId(MinbpeCourseError, KeyError, ValueError):
    """No token of this vocabulary has this id: tiktoken raises KeyError, minbpe ValueError."""


class TokenIdOutOfRange(InvalidTokenId, OverflowError):
    """No token of any vocabulary has this id: it is below 0, or 2**32 and more."""


class NotTokenIds(InvalidTokenId, TypeError):
    """The value is not an id, or not a list of ids."""


class InvalidPieceId(InvalidTokenId, IndexError):
    """An id outside a SentencePiece vocabulary."""


class UnknownToken(MinbpeCourseError, KeyError):
    """These bytes or this text are not a single token of this vocabulary."""


class NotText(MinbpeCourseError, TypeError):
    """The value is not a ``str``, or not ``bytes`` where those are needed."""


class InvalidText(MinbpeCourseError, ValueError, RuntimeError, TypeError):
    """The text has no UTF-8 form (it has a lone surrogate), or the rules of a model lengthen it without end.

    sentencepiece raises RuntimeError for such a text, and TypeError for one in a list.
    """


class LoneSurrogate(InvalidText, UnicodeEncodeError):
    """Half a surrogate pair in a text that must become bytes.

    Its own class, because a UnicodeEncodeError takes other arguments: the text and the place in it.
    """

    def __str__(self) -> str:
        return (
            f"the text has no UTF-8 form: position {self.start} holds the lone surrogate {self.object[self.start]!r}.\n"
            "To replace such characters: text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        )


def quoted(value: object, most: int = 80) -> str:
    """Return the repr of any value, shortened for a message; only its type where the repr fails.

    >>> quoted("a" * 100, 10)
    "'aaaaaa..."
    """
    try:
        text = repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= most else text[: most - 3] + "..."


# ---- Models and files


class NotAvailable(MinbpeCourseError, RuntimeError):
    """A tokenizer or model of this type cannot do this, or not with these options; it has no merges to show."""


class InvalidModel(MinbpeCourseError, ValueError, AssertionError):
    """A model contradicts itself, as in its size, its merges or its ids. tiktoken and minbpe ``assert`` this."""


class UnreadableModel(MinbpeCourseError, ValueError, RuntimeError):
    """The file is damaged, not this kind of model, or does not have its SHA-256; the message says where."""


class UnusablePath(MinbpeCourseError, OSError, RuntimeError):
    """The path is a folder, is missing, may not be read or written, or changed while it was read.

    sentencepiece raises RuntimeError for these.
    """


class MissingFile(UnusablePath, FileNotFoundError):
    """There is no file of this name, or no folder to write it to."""


class ExistingFile(UnusablePath, FileExistsError):
    """A file of this name exists, and the caller did not say that it may be overwritten."""


class FolderGiven(UnusablePath, IsADirectoryError):
    """The path is a folder, but a file is needed."""


class NotPermitted(UnusablePath, PermissionError):
    """This user may not read or write the file or its folder."""


class UnsupportedModel(MinbpeCourseError, ValueError):
    """A well-formed model of a kind that the class does not handle."""


class MissingPattern(UnsupportedModel):
    """Neither the file (.tiktoken) nor the caller says how to split text into words."""


class UnusableTokenizer(MinbpeCourseError, TypeError):
    """The object cannot be used as a tokenizer: it cannot encode, returns no ids, or does not say what they mean."""


class NotTrained(MinbpeCourseError, RuntimeError):
    """The tokenizer needs a model first: train it or load one."""


class NotTrainable(MinbpeCourseError, NotImplementedError):
    """A tokenizer with a published vocabulary cannot be trained.

    Not NotAvailable, because minbpe raises NotImplementedError, which in an answer means "not started".
    """


# ---- Sources, counting and clusters


class InvalidSource(MinbpeCourseError, TypeError, ValueError):
    """The source is not text, paths, an iterable of text, or word counts; is missing, or too large to count.

    Or it is counts whose words were split differently, which cannot be added.
    """


class UnreadableInput(MinbpeCourseError, ValueError):
    """The input is not UTF-8, JSON lines, ids or counts, is damaged, or has too long a word; the message says where."""


class _WithRemedy:
    """An error raised with two arguments: what is wrong, and what to type in Python. Its text has both."""

    args: tuple[object, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))

    @property
    def problem(self) -> str:
        """The problem alone, without the remedy."""
        return str(self.args[0])

    @property
    def remedy(self) -> str:
        """The advice on what to type in Python; may be empty."""
        return "\n".join(map(str, self.args[1:]))


class CountingStopped(_WithRemedy, MinbpeCourseError, RuntimeError):
    """Counting cannot continue; the message says why, what is safe, and how to resume. ``__cause__`` is the reason."""


class Interrupted(_WithRemedy, KeyboardInterrupt):
    """Ctrl-C, with a message that says what is safe. ``except Exception`` does not catch it."""


class DifferentCheckpoint(_WithRemedy, MinbpeCourseError, ValueError):
    """The folder has the state of other work; the message says what differs."""


class UnreadableCheckpoint(_WithRemedy, MinbpeCourseError, ValueError):
    """The state of the work is damaged or incomplete; the message names the file."""


class FolderInUse(_WithRemedy, MinbpeCourseError, RuntimeError):
    """Another process is working in this folder."""


class ClusterProblem(MinbpeCourseError, RuntimeError):
    """A cluster cannot be reached, has no workers, keeps losing them, or has another version of the package."""


class SlowPattern(UserWarning):
    """The split pattern is not regular, so it runs on the regex library; the message says why and what it costs."""


class LeftOut(UserWarning):
    """The file that ``convert`` wrote gives the same ids, and has no place for something that its source says."""


class NotApplied(UserWarning):
    """A tokenizer.json asks for truncation or padding, and ``encode`` does neither."""


class TrainingStoppedEarly(UserWarning):
    """Training ran out of pairs before it reached the vocabulary size; the model is complete, but smaller."""


class TextNamesFiles(UserWarning):
    """A str that is used as text is also the name of a file, or a pattern that matches files."""


# ---- Course, exercises and grading


class MissingPackage(_ShownBriefly, MinbpeCourseError, ImportError):
    """An optional package is not installed; the message says how to install it."""


class UnknownExercise(_ShownBriefly, MinbpeCourseError, KeyError, ValueError):
    """No exercise has this key, or no hint this step."""


class InvalidAnswer(_ShownBriefly, MinbpeCourseError, TypeError):
    """``check`` was given something that cannot be an answer, such as the result of calling it."""


class NotDoneYet(_ShownBriefly, MinbpeCourseError, AssertionError):
    """An exercise is not done, where only an exception can say so: under nbgrader."""


class ExercisesProblem(_ShownBriefly, MinbpeCourseError, ValueError):
    """The lessons, exercises or an assignment cannot be used; the message names the file, and the place in it."""


class UnreadableSubmission(MinbpeCourseError, ValueError):
    """A notebook or an archive to be graded, or an entry in it, is damaged, is something else, or is malicious."""


class TooLargeToRead(UnreadableSubmission):
    """A notebook or an archive is over a limit, so what is in it is not graded."""


class GradingProblem(MinbpeCourseError, RuntimeError):
    """Grading cannot begin or go on: for want of submissions, a seed or a sandbox, or because of the gradebook."""
