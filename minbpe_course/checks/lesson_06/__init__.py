"""The exercises of lesson 06, a SentencePiece model read, changed and imitated: one file for each."""

ORDER = (
    "signed",
    "write_varint",
    "read_pieces",
    "add_piece",
    "retire_pieces",
    "tests_of_normalize",
    "fall_back",
    "encode_by_score",
    "choose_pieces",
)
