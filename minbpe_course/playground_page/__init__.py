"""The playground: type and see the tokens, in a notebook or in a page."""
