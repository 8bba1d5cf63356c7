"""``sentencepiece.sentencepiece_model_pb2``: the messages of a model file, taken from sentencepiece itself."""

from minbpe_course.compat.sentencepiece import messages

globals().update(
    {name: value for name, value in vars(messages("sentencepiece_model_pb2")).items() if not name.startswith("__")}
)
