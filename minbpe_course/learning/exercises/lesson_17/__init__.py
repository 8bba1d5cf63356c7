"""The exercises of lesson 17: a vocabulary changes, and the model and the ids change with it."""
