"""The exercises of lesson 19: other ways to make tokens and to choose among them."""
