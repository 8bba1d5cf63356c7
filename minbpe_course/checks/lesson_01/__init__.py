"""The exercises of lesson 01, UTF-8 basics: one file for each, named like the exercise."""

ORDER = (
    "count_characters",
    "utf8_encode",
    "cut_before",
    "tests_of_cut_before",
    "utf8_decode",
    "stream_decoder",
    "encode_pages",
)
