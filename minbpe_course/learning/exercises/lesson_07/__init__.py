"""The exercises of lesson 07: training fast."""
