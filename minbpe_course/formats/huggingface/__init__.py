"""The parts of a Hugging Face ``tokenizer.json``, one file each. ``formats.huggingface_json`` reads and writes it.

added_tokens      added_tokens                   <->  special tokens, their flags, and the ids that `tokenizers` gives
pre_tokenizer     normalizer and pre_tokenizer   <->  normalization, pattern and its tables, or split_steps
vocabulary        model                          <->  id -> bytes, merges
post_processor    post_processor                 <->  the ids around every text
piece_files       a whole file whose tokens are pieces of text (Llama 2, Gemma, T5)  ->  a PieceModel
"""
