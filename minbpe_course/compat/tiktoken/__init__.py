"""The submodules of tiktoken, under their own names."""
