"""The friendly classes: each call checks its input, packs it, calls one kernel and unpacks the answer."""
