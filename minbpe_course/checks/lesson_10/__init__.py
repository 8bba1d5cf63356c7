"""The exercises of lesson 10: SentencePiece's Unigram model, its normalizer, and its trainer of pairs."""
