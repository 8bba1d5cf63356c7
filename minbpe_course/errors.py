"""Every exception of the house, one line each on when it is raised.

A message says what went wrong, where, and the next thing to type. Where the course imitates another library, the
exception is also a subclass of what that library raises, so that a program written for it keeps catching what it
caught.
"""

from __future__ import annotations


class MinbpeCourseError(Exception):
    """The common ancestor: ``except MinbpeCourseError`` catches whatever this package raises on purpose."""

    def __str__(self) -> str:
        # KeyError shows its message as a repr, which turns every line break into a visible \n.
        return "\n".join(str(part) for part in self.args)


class InvalidVocabularySize(MinbpeCourseError, ValueError, AssertionError):
    """The vocabulary asked for cannot hold the 256 bytes, or is not a whole number."""


class UnreachableVocabularySize(InvalidVocabularySize, RuntimeError):
    """No SentencePiece model of this size can be trained on this text; the message says which sizes can."""


class InvalidTrainingOption(MinbpeCourseError, ValueError, RuntimeError):
    """An option of ``train_sentencepiece`` is unknown, out of its range, or contradicts another."""


class InvalidPattern(MinbpeCourseError, ValueError):
    """The split pattern is not a regular expression, or loses text."""


class UnsupportedPattern(InvalidPattern):
    """The split pattern says something that the self-contained page cannot do as Python does."""


class UnknownTieBreak(MinbpeCourseError, ValueError):
    """The tie-break rule asked for does not exist."""


class UnknownEncoding(MinbpeCourseError, ValueError):
    """No bundled vocabulary has this name, and no plugin of tiktoken's names it."""


class UnknownLanguageModel(MinbpeCourseError, KeyError, AttributeError, TypeError):
    """It is not known which encoding belongs to a language model of this name, or what was given is no name."""


class BrokenPlugin(UnknownEncoding):
    """A plugin in the namespace ``tiktoken_ext`` cannot be read, so nobody knows which encodings it offers."""


class CorruptVocabulary(MinbpeCourseError, ValueError):
    """A bundled vocabulary does not rebuild the file whose SHA-256 its passport names."""


class DisallowedSpecialToken(MinbpeCourseError, ValueError, AssertionError):
    """The text contains a special token and the caller did not say what to do with it."""


class InvalidSpecialToken(MinbpeCourseError, ValueError):
    """A special token is empty, not text, takes an id that is in use, or the request for special tokens makes no
    sense."""


class WrongSpecialTokens(InvalidSpecialToken, TypeError, OverflowError, AttributeError):
    """Special tokens of the wrong type: no mapping of texts to ids, an id that is none, no set of texts."""


class InvalidTokenId(MinbpeCourseError, KeyError, ValueError):
    """An id that no token of this vocabulary has."""


class TokenIdOutOfRange(InvalidTokenId, OverflowError):
    """A number that no token of any vocabulary has: below 0, or 2**32 and more."""


class NotTokenIds(InvalidTokenId, TypeError, AssertionError):
    """Something that is no whole number was given where an id is wanted, or no list of them."""


class UnknownToken(MinbpeCourseError, KeyError):
    """Bytes or text that are no single token of this vocabulary."""


class InvalidPieceId(MinbpeCourseError, IndexError):
    """An id outside a SentencePiece vocabulary."""


class NotText(MinbpeCourseError, TypeError):
    """Something other than ``str`` was given where text is wanted."""


class NotBytes(MinbpeCourseError, TypeError):
    """Something other than ``bytes`` was given where bytes are wanted."""


class InvalidText(MinbpeCourseError, ValueError):
    """Text that has no UTF-8 form (it holds a lone surrogate), or that the rules of a model make longer without end."""


class UnencodableText(InvalidText, RuntimeError, TypeError):
    """The same, given to a SentencePiece model: sentencepiece raises RuntimeError for a text, TypeError in a list."""


class LoneSurrogate(InvalidText, UnicodeEncodeError):
    """Half a surrogate pair in a text that must become bytes as it is; made with the arguments of
    UnicodeEncodeError."""

    def __str__(self) -> str:
        return (
            f"the text has no UTF-8 form: position {self.start} holds the lone surrogate {self.object[self.start]!r}.\n"
            "To replace such characters: text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        )


class InvalidOption(MinbpeCourseError, ValueError):
    """An option of a call that does not exist or is out of its range, or two that contradict each other."""


class WrongOptionType(InvalidOption, TypeError):
    """An option of a call whose value is of the wrong type."""


class ClusterProblem(MinbpeCourseError, RuntimeError):
    """A cluster cannot be reached, has no workers, loses them again and again, or has another version of the package;
    what was finished stays finished."""


class NotAvailable(MinbpeCourseError, RuntimeError):
    """Something that this type of SentencePiece model cannot do, or not with these options."""


class InvalidModel(MinbpeCourseError, ValueError):
    """A record that contradicts itself: a merge of ids that do not exist yet, two tokens with one id."""


class InvalidRanks(InvalidModel, TypeError, OverflowError, AttributeError):
    """Mergeable ranks that are no mapping of bytes to ids from 0 to 2**32 - 1."""


class ContradictoryVocabulary(InvalidModel, AssertionError):
    """Two statements about one vocabulary that cannot both be true: its size, its merges, its ids."""


class DuplicatePiece(InvalidModel):
    """Two pieces of a SentencePiece model with the same text; the message says which ids have it."""


class UnreadableModel(MinbpeCourseError, ValueError, RuntimeError):
    """The file was opened but is not the kind of model it was taken for, or is damaged; the message names the place."""


class UnusablePath(MinbpeCourseError, OSError, RuntimeError):
    """The path is a folder, is missing, or may not be read or written. sentencepiece raises RuntimeError for these."""


class MissingFile(UnusablePath, FileNotFoundError):
    """There is no file of this name, or no such folder to put one in."""


class FolderGiven(UnusablePath, IsADirectoryError):
    """The path of a folder was given where a file is meant."""


class NotPermitted(UnusablePath, PermissionError):
    """The file or its folder may not be read or written by this user."""


class UnsupportedModel(MinbpeCourseError, ValueError):
    """A well-formed model of a kind that the class does not handle."""


class UnknownFormat(MinbpeCourseError, ValueError):
    """No file format has this name, or the name of a file does not say in which one it is to be written."""


class MissingPattern(UnsupportedModel):
    """A file that does not say how text is cut into words (.tiktoken), and nobody else did."""


class UnusableTokenizer(MinbpeCourseError, TypeError):
    """Something was given as a tokenizer that cannot encode, gives no ids, or does not say what its ids stand for."""


class NoMerges(MinbpeCourseError, ValueError):
    """The merges of a word were asked of a tokenizer that has none to show, or of a special token."""


class NotTrained(MinbpeCourseError, RuntimeError):
    """A tokenizer was used for something that needs a model, and has none yet."""


class NotTrainable(MinbpeCourseError, NotImplementedError):
    """A tokenizer with a published vocabulary was asked to train."""


class InvalidSource(MinbpeCourseError, TypeError, ValueError):
    """The thing to train on or to count is neither text, paths, an iterable of text, nor word counts."""


class UnreadableCounts(MinbpeCourseError, ValueError):
    """The file was opened but is no counts file, or is damaged; the message names the place."""


class DifferentCounts(MinbpeCourseError, ValueError):
    """Counts that cannot be added, since their words were cut in different ways; the message says in which."""


class CountsTooLarge(MinbpeCourseError, OverflowError, ValueError):
    """Counts of more text than 63 bits can number."""


class CountingStopped(MinbpeCourseError, RuntimeError):
    """Counting cannot go on; the message says why, what is safe, and how to continue. ``__cause__`` is the reason."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with a message that says what is safe. Like KeyboardInterrupt it is no error for anybody to catch."""


class DifferentCheckpoint(MinbpeCourseError, ValueError):
    """The folder holds the state of another work; the message says what differs."""


class UnreadableCheckpoint(MinbpeCourseError, ValueError):
    """The state of a work is damaged, or something of it is missing; the message names the file."""


class FolderInUse(MinbpeCourseError, RuntimeError):
    """Another process is at work in this folder."""


class NothingToTrainOn(InvalidSource, RuntimeError):
    """No sentence is left to train on: none was given, or each is empty, too long or reserved."""


class NothingToShow(MinbpeCourseError, ValueError):
    """No text was named and none comes in by a pipe."""


class UnreadableInput(MinbpeCourseError, ValueError):
    """What was given to be read is no text, no JSON lines, or no ids; the message names the file and the place."""


class NotUTF8(UnreadableInput, InvalidSource):
    """A file or a column of text holds bytes that are no UTF-8; the message names the file and the byte."""


class DamagedFile(UnreadableInput, EOFError):
    """A compressed file is cut off, damaged, or something else; the message says how much of it was good."""


class ChangedFile(UnusablePath):
    """A file was written to, or became shorter, while it was being read."""


class UnknownFilter(MinbpeCourseError, ValueError, TypeError):
    """A filter for cleaning that does not exist, or that is no function."""


class InvalidMeasurement(MinbpeCourseError, ValueError):
    """There is nothing to measure (no text, no token, no cost), or a number that cannot be one of the measured."""


class LessonsProblem(MinbpeCourseError, ValueError):
    """The lessons cannot be laid into the folder asked for."""


class _ToldBriefly:
    """In a notebook the message alone is shown: what stands between it and the cell is nothing a learner can mend."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class MissingPackage(_ToldBriefly, MinbpeCourseError, ImportError):
    """An optional package is not installed; the message says how to install it."""


class UnknownExercise(_ToldBriefly, MinbpeCourseError, KeyError, ValueError):
    """No exercise has this key."""


class TrainingStoppedEarly(UserWarning):
    """Training ran out of pairs before it reached the vocabulary size; the model is whole, only smaller."""


class TextNamesFiles(UserWarning):
    """A str was given as text and is also the name of a file, or a pattern that matches files."""


class MarkerProblem(MinbpeCourseError, ValueError):
    """The markers round an answer have no partner, are nested, or are not indented like one another."""


class ExercisesProblem(MinbpeCourseError, ValueError):
    """A notebook of exercises cannot be released, collected or checked; the message names the file and the cell."""


class InvalidAnswer(_ToldBriefly, MinbpeCourseError, TypeError):
    """``check`` was given something that can be no answer, such as the result of calling it."""


class NotDoneYet(_ToldBriefly, MinbpeCourseError, AssertionError):
    """An exercise is not done, where only an exception can say so: under nbgrader."""


class UnreadableNotebook(MinbpeCourseError, ValueError):
    """A file that should be a notebook is none, or is too large or too deep to be read."""


class RefusedArchive(MinbpeCourseError, ValueError):
    """An archive, or one entry of it, is not read: it is damaged, too large, or built to do harm."""


class NoSubmissions(MinbpeCourseError, ValueError):
    """The folder or archive to grade holds nothing that is a learner's work."""


class UnusableSeed(MinbpeCourseError, ValueError):
    """The secret seed is missing, too short, or not the one with which this gradebook was begun."""


class GradebookProblem(MinbpeCourseError, RuntimeError):
    """The gradebook is in use by another grader, was written by another version, or is no gradebook."""


class NoSuchHint(_ToldBriefly, MinbpeCourseError, ValueError):
    """A step of the hints that is not 1, 2 or 3."""


class SandboxUnavailable(MinbpeCourseError, RuntimeError):
    """The sandbox asked for does not work on this machine, or does not exist."""
