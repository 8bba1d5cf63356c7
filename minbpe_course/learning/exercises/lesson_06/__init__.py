"""06 · SentencePiece: exercises

Here are eight exercises on [lesson 06](../notebooks/06_sentencepiece.ipynb), from a single line to a design of your
own. You don't need the protobuf library or sentencepiece for any of them, and that's the point.
"""

from minbpe_course.learning import Code

BLANKS = (
    "read_varint",
    "read_fields",
    "read_pieces",
    "PieceTokenizer.from_model",
    "PieceTokenizer.encode",
    "PieceTokenizer.decode",
)
NOTEBOOK = (
    "signed",
    "write_varint",
    "add_piece",
    Code("""
from pathlib import Path
import mistral_common
import sentencepiece

mistral = Path(mistral_common.__file__).parent / "data" / "tokenizer.model.v1"
written = check("06.add_piece").done
if written:
    larger = sentencepiece.SentencePieceProcessor(model_proto=add_piece(mistral.read_bytes(), "<|tool|>", 4))
    print(len(larger), larger.encode("a<|tool|>b", out_type=str))
print("sentencepiece loaded it." if written else "Come back when add_piece is done.")
"""),
    "retire_pieces",
    Code("""
retired = check("06.retire_pieces").done
if retired:
    rest = sentencepiece.SentencePieceProcessor(model_proto=retire_pieces(mistral.read_bytes(), ["▁world", "▁people"]))
    print(len(rest), rest.encode("people of the world", out_type=str))
print("All other pieces keep their ids." if retired else "Come back when retire_pieces is done.")
"""),
    "test_normalize",
    "fall_back",
    "encode_by_score",
    "choose_pieces",
)
