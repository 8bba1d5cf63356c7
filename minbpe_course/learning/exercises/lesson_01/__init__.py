"""The exercises of lesson 01, UTF-8 basics: one file for each, named like the exercise."""
