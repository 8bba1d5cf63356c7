"""The exercises of lesson 06, a SentencePiece model read, changed and imitated: one file for each."""
