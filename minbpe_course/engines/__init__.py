"""Models laid out as arrays, with the state of the threads that run them: one engine per kind of model."""
