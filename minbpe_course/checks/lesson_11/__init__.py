"""The exercises of lesson 11: measuring a tokenizer."""

ORDER = ("bytes_per_token", "bits_per_byte", "gini", "gain_interval", "efficiency", "tests_of_front", "cheat")
