"""The playground: type, and see the tokens."""
