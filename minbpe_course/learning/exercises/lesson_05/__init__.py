"""The exercises of lesson 05, special tokens and chat templates: one file for each."""
