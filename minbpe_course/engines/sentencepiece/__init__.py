"""Engines for SentencePiece models."""
