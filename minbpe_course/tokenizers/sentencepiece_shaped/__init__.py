"""Drop-in for ``sentencepiece.SentencePieceProcessor``: a ``.model`` file in, the ids of sentencepiece 0.2.3 out.

tokenizer       what users meet: encode, normalize
loading         a model from a path, bytes or a message
lookups         id_to_piece, piece_to_id, scores, kinds
decoding        decode, and what may be given to it
sampling        N-best lists, sampled encodings, the seed
aliases         every name in both spellings
options         what a call may ask for
results         ids and spans become pieces, messages, offsets
engines         which engine runs a type of model, and what was different before 0.2.2
normalizing     normaliser and denormaliser of any model
piece_engine    the engine of BPE models; piece_symbols, piece_tables and piece_worker are its parts
whole_pieces    the engine of models in which nothing merges: char and word
"""

from minbpe_course.tokenizers.sentencepiece_shaped.tokenizer import SentencePieceTokenizer

__all__ = ["SentencePieceTokenizer"]
