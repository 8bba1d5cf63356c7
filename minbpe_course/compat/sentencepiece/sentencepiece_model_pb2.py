"""``sentencepiece.sentencepiece_model_pb2``: the messages of a model file. It is sentencepiece's own module."""

import sys

from minbpe_course.compat.sentencepiece import messages

sys.modules[__name__] = messages("sentencepiece_model_pb2")
