"""The exercises of lesson 14: training Unigram, and SentencePiece's trainer of pairs."""
