"""``sentencepiece.sentencepiece_pb2``: the messages of a text cut into pieces. It is sentencepiece's own module."""

import sys

from minbpe_course.compat.sentencepiece import messages

sys.modules[__name__] = messages("sentencepiece_pb2")
