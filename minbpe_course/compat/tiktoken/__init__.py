"""tiktoken 0.14 as a module: ``from minbpe_course.compat import tiktoken``."""

from minbpe_course.compat.tiktoken import core, load, model, registry
from minbpe_course.compat.tiktoken.core import Encoding
from minbpe_course.compat.tiktoken.model import encoding_for_model, encoding_name_for_model
from minbpe_course.compat.tiktoken.registry import get_encoding, list_encoding_names

__all__ = [
    "Encoding",
    "core",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
    "load",
    "model",
    "registry",
]

__version__ = "0.14.0"
