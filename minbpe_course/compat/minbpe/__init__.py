"""The submodules of minbpe, under their own names."""
