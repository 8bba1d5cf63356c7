"""The exercises of lesson 02, naive byte pair encoding and its tie rules: one file for each."""
