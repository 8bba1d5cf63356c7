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


class InvalidVocabularySize(MinbpeCourseError, ValueError, AssertionError):
    """The vocabulary size is not a whole number, or too small for the 256 bytes."""


class UnreachableVocabularySize(InvalidVocabularySize, RuntimeError):
    """This text cannot give a SentencePiece model of this size; the message says which sizes are possible."""


class InvalidTrainingOption(MinbpeCourseError, ValueError, RuntimeError):
    """An option of ``train_sentencepiece`` is unknown, out of its range, or contradicts another."""


class InvalidPattern(MinbpeCourseError, ValueError):
    """The split pattern is not a regular expression, or loses text."""


class UnsupportedPattern(InvalidPattern):
    """The split pattern uses something that cannot be done here exactly, in a page or in a stage of training."""


class UnknownEncoding(MinbpeCourseError, ValueError):
    """Neither a bundled vocabulary nor a plugin of tiktoken has this name, or a plugin cannot be read."""


class UnknownLanguageModel(MinbpeCourseError, KeyError):
    """The encoding of this language model is unknown, or its name is not a str."""


class CorruptVocabulary(MinbpeCourseError, ValueError):
    """A bundled vocabulary does not rebuild the file with the SHA-256 in its passport."""


class DisallowedSpecialToken(MinbpeCourseError, ValueError, AssertionError):
    """The text contains a special token, and the caller did not say how to treat it."""


class InvalidSpecialToken(MinbpeCourseError, ValueError):
    """A special token is empty, is not text, or has an id in use; or the choice of special tokens is contradictory."""


class WrongSpecialTokens(InvalidSpecialToken, TypeError):
    """Special tokens of the wrong type: not a mapping from texts to ids, an invalid id, or not a set of texts."""


class InvalidTokenId(MinbpeCourseError, KeyError, ValueError):
    """No token of this vocabulary has this id."""


class TokenIdOutOfRange(InvalidTokenId, OverflowError):
    """No token of any vocabulary has this id: it is below 0, or 2**32 and more."""


class NotTokenIds(InvalidTokenId, TypeError):
    """The value is not an id, or not a list of ids."""


class UnknownToken(MinbpeCourseError, KeyError):
    """These bytes or this text are not a single token of this vocabulary."""


class InvalidPieceId(MinbpeCourseError, IndexError):
    """An id outside a SentencePiece vocabulary."""


class NotText(MinbpeCourseError, TypeError):
    """The value is not a ``str``, or not ``bytes`` where those are needed."""


class InvalidText(MinbpeCourseError, ValueError):
    """The text has no UTF-8 form (it has a lone surrogate), or the rules of a model lengthen it without end."""


class UnencodableText(InvalidText, RuntimeError, TypeError):
    """InvalidText for a SentencePiece model: sentencepiece raises RuntimeError for a text, TypeError in a list."""


class LoneSurrogate(InvalidText, UnicodeEncodeError):
    """Half a surrogate pair in a text that must become bytes; takes the arguments of UnicodeEncodeError."""

    def __str__(self) -> str:
        return (
            f"the text has no UTF-8 form: position {self.start} holds the lone surrogate {self.object[self.start]!r}.\n"
            "To replace such characters: text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        )


class InvalidOption(MinbpeCourseError, ValueError):
    """An option does not exist, is out of its range, or contradicts another; or there is nothing to measure."""


class WrongOptionType(InvalidOption, TypeError):
    """The value of an option has the wrong type."""


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
    """This type of SentencePiece model cannot do this, or not with these options."""


class InvalidModel(MinbpeCourseError, ValueError):
    """A model contradicts itself: a merge of ids that do not exist yet, two tokens with one id, a piece twice."""


class InvalidRanks(InvalidModel, TypeError):
    """Mergeable ranks must be a mapping from bytes to ids from 0 to 2**32 - 1."""


class ContradictoryVocabulary(InvalidModel, AssertionError):
    """Two statements about one vocabulary contradict each other: its size, its merges, its ids."""


class UnreadableModel(MinbpeCourseError, ValueError, RuntimeError):
    """The file is damaged or not this kind of model; the message says where."""


class UnusablePath(MinbpeCourseError, OSError, RuntimeError):
    """The path is a folder, is missing, or may not be read or written. sentencepiece raises RuntimeError for these."""


class MissingFile(UnusablePath, FileNotFoundError):
    """There is no file of this name, or no folder to write it to."""


class ExistingFile(UnusablePath, FileExistsError):
    """A file of this name exists, and the caller did not say that it may be overwritten."""


class FolderGiven(UnusablePath, IsADirectoryError):
    """The path is a folder, but a file is needed."""


class NotPermitted(UnusablePath, PermissionError):
    """This user may not read or write the file or its folder."""


class ChangedFile(UnusablePath):
    """A file was written to, or became shorter, while it was being read."""


class UnsupportedModel(MinbpeCourseError, ValueError):
    """A well-formed model of a kind that the class does not handle."""


class UnknownFormat(MinbpeCourseError, ValueError):
    """There is no such file format, or the name of a file does not imply one."""


class MissingPattern(UnsupportedModel):
    """Neither the file (.tiktoken) nor the caller says how to split text into words."""


class UnusableTokenizer(MinbpeCourseError, TypeError):
    """The object cannot be used as a tokenizer: it cannot encode, returns no ids, or does not say what they mean."""


class NoMerges(MinbpeCourseError, ValueError):
    """The tokenizer, or this special token, has no merges to show."""


class NotTrained(MinbpeCourseError, RuntimeError):
    """The tokenizer needs a model first: train it or load one."""


class NotTrainable(MinbpeCourseError, NotImplementedError):
    """A tokenizer with a published vocabulary cannot be trained."""


# ---- Sources, counting and clusters


class InvalidSource(MinbpeCourseError, TypeError, ValueError):
    """The source is not text, paths, an iterable of text, or word counts; is missing, or too large to count."""


class NothingToTrainOn(InvalidSource, RuntimeError):
    """There is no sentence to train on: none was given, or all are empty, too long or reserved."""


class UnreadableInput(MinbpeCourseError, ValueError):
    """The input is not text, JSON lines or ids, or has too long a word; the message names the file and the place."""


class NotUTF8(UnreadableInput, InvalidSource):
    """A file or a column of text is not UTF-8; the message names the file and the byte."""


class DamagedFile(UnreadableInput, EOFError):
    """A compressed file is cut off, damaged, or something else; the message says how much of it was good."""


class UnreadableCounts(MinbpeCourseError, ValueError):
    """The file is damaged or not a counts file; the message says where."""


class DifferentCounts(MinbpeCourseError, ValueError):
    """Counts that cannot be added because their words were split differently; the message says how."""


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


class TrainingStoppedEarly(UserWarning):
    """Training ran out of pairs before it reached the vocabulary size; the model is complete, but smaller."""


class TextNamesFiles(UserWarning):
    """A str that is used as text is also the name of a file, or a pattern that matches files."""


# ---- Course, exercises and grading


class MissingPackage(_ShownBriefly, MinbpeCourseError, ImportError):
    """An optional package is not installed; the message says how to install it."""


class LessonsProblem(MinbpeCourseError, ValueError):
    """The lessons cannot be copied to this folder."""


class UnknownExercise(_ShownBriefly, MinbpeCourseError, KeyError, ValueError):
    """No exercise has this key."""


class InvalidAnswer(_ShownBriefly, MinbpeCourseError, TypeError):
    """``check`` was given something that cannot be an answer, such as the result of calling it."""


class NotDoneYet(_ShownBriefly, MinbpeCourseError, AssertionError):
    """An exercise is not done, where only an exception can say so: under nbgrader."""


class NoSuchHint(_ShownBriefly, MinbpeCourseError, ValueError):
    """Hints have the steps 1, 2 and 3."""


class ExercisesProblem(_ShownBriefly, MinbpeCourseError, ValueError):
    """A notebook or a file of exercises cannot be used; the message names the file, and the cell or the line."""


class AssignmentProblem(_ShownBriefly, MinbpeCourseError, ValueError):
    """The file of an assignment cannot be used; the message names each field, and what to write there."""


class UnreadableNotebook(MinbpeCourseError, ValueError):
    """The file is not a notebook, or too large or too deeply nested to be read."""


class RefusedArchive(MinbpeCourseError, ValueError):
    """An archive, or an entry in it, is damaged, too large, or malicious."""


class TooLargeToRead(UnreadableNotebook, RefusedArchive):
    """A notebook or an archive is over a limit, so what is in it is not graded."""


class NoSubmissions(MinbpeCourseError, ValueError):
    """The folder or archive to grade contains no submission."""


class UnusableSeed(MinbpeCourseError, ValueError):
    """The secret seed is missing, too short, or not the one with which this gradebook was begun."""


class GradebookProblem(MinbpeCourseError, RuntimeError):
    """The gradebook is in use by another grader, was written by another version, or is not a gradebook."""


class SandboxUnavailable(MinbpeCourseError, RuntimeError):
    """The chosen sandbox does not work on this machine, or does not exist."""
