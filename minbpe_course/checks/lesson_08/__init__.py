"""The exercises of lesson 08: encoding fast, and decoding while ids arrive."""

ORDER = ("cache_hits", "token_offsets", "certain_text", "stays_apart", "tests_of_encode", "heal", "word_cache")
