"""The exercises of lesson 13: SentencePiece's Unigram model and its normalizer."""
