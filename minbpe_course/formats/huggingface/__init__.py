"""The parts of a Hugging Face ``tokenizer.json``, one file each. ``formats.huggingface_json`` reads and writes it.

added_tokens      added_tokens                   <->  special tokens, their flags, and the ids that `tokenizers` gives
pre_tokenizer     normalizer and pre_tokenizer   <->  normalization, pattern and its tables, or split_steps
vocabulary        model                          <->  id -> bytes, merges
post_processor    post_processor                 <->  the ids around every text
kept_parts        what no field of a record describes, kept as it was read
piece_files       a whole file whose tokens are pieces of text (Llama 2, Gemma, T5)  ->  a PieceModel

``transformers_folder`` is about the files next to it: roles of tokens and chat templates.
"""
