"""The exercises of lesson 07, training at scale: one file for each."""
