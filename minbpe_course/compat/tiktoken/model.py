"""``tiktoken.model``: the encodings of language models."""

from minbpe_course.tokenizers.encoding_names import encoding_for_model, encoding_name_for_model
from minbpe_course.vocabularies.language_models import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

__all__ = ["MODEL_PREFIX_TO_ENCODING", "MODEL_TO_ENCODING", "encoding_for_model", "encoding_name_for_model"]
