"""The exercises of lesson 09: vocabularies as files."""

ORDER = ("cache_name", "read_merges", "tekken_rows", "first_fault", "keeps_ids", "tests_of_format", "choose_alphabet")
