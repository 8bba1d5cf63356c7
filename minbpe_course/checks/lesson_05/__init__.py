"""The exercises of lesson 05, special tokens and chat templates: one file for each."""

ORDER = ("free_id", "allowed_set", "split_on_special", "chat_ids", "next_targets", "tests_of_render", "special_stream")
