"""SentencePiece models: normalizing, cutting, BPE and Unigram."""
