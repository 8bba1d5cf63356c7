"""The exercises of lesson 03, a text split into words by a pattern and by hand: one file for each."""
