"""The exercises of lesson 11: decoding while ids arrive, offsets, and the last token."""
