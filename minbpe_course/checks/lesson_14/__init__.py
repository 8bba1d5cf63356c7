"""The exercises of lesson 14: a tokenizer of your own, measured."""

ORDER = ("id_bits", "unbeaten", "encode_parts", "shrink", "tests_of_tokenizer", "choose_tokens")
