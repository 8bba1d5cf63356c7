"""What a Hugging Face ``tokenizer.json`` is made of; ``formats.huggingface_json`` is the way in.

strict_json     bytes -> values of JSON, each with its path; nothing is guessed
cutting         normalizer and pre_tokenizer   <->  normalization, pattern and its tables, or split_steps
added_tokens    added_tokens                   <->  special tokens, their flags, and the ids that `tokenizers` gives
sentencepiece_like                             whether a file holds a SentencePiece model instead
vocabulary      model                          <->  id -> bytes, merges
framing         post_processor                 <->  the ids round every text
document        all of it                      <->  a record
piece_files     all of a file whose tokens are pieces of text (Llama 2, Gemma, T5)  ->  a PieceModel
"""
