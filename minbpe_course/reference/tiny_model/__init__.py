"""A language model small enough to be trained in a second, and operated on while one watches; NumPy and nothing else.

network     what it looks at, what it predicts, and the slopes of its loss, written out by hand
training    Adam, and the loss in bits per byte, which can be compared between vocabularies
surgery     rows put in, taken out, replaced; one token that stands for a whole prompt
"""

from minbpe_course.reference.tiny_model.network import (
    Examples,
    TinyModel,
    examples,
    hidden_numbers,
    log_shares,
    logits,
    looked_up,
    loss_and_gradients,
    new_model,
)
from minbpe_course.reference.tiny_model.surgery import (
    examples_after,
    extended,
    learned_gist,
    lost_bits,
    rebuilt,
    with_random_rows,
)
from minbpe_course.reference.tiny_model.training import Adam, bits, bits_per_byte, followed, trained, training_steps

__all__ = [
    "Adam",
    "Examples",
    "TinyModel",
    "bits",
    "bits_per_byte",
    "examples",
    "examples_after",
    "extended",
    "followed",
    "hidden_numbers",
    "learned_gist",
    "log_shares",
    "logits",
    "looked_up",
    "loss_and_gradients",
    "lost_bits",
    "new_model",
    "rebuilt",
    "trained",
    "training_steps",
    "with_random_rows",
]
