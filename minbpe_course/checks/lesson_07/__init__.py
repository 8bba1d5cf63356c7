"""The exercises of lesson 07, training at scale: one file for each."""

ORDER = (
    "heap_keys",
    "count_changes",
    "heap_merges",
    "candidates",
    "tests_of_growth",
    "safe_cuts",
    "find_borders",
    "merge_runs",
    "merge_pruned",
    "distinct_at",
)
