"""The exercises of lesson 13: a vocabulary changes, and the model and the ids change with it."""
