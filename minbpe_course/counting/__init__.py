"""Word counts, in memory, on disk or on a cluster.

What happens in ``count_words(source, ...)``, in order, file by file:

1. ``count_words`` checks the options. Counts that are there already are returned at once.
2. ``sources`` yields the texts: a str, the parts of files, or the items of an iterable.
3. In memory, ``word_counter`` counts them in threads, each with a table of ``word_table``, and joins the tables. The
   result is a ``word_counts.WordCounts``. This is all, unless memory, a checkpoint, a cluster or an output is given.
4. Otherwise ``bounded`` is in charge. ``spill_to_disk`` counts in the same threads, with tables of limited size.
   Whenever one is full, all of them are written as sorted *runs*: small counts files.
5. ``run_store`` keeps the runs in a folder, with a journal of which places of the source they cover. It merges them,
   and another process can continue from it. ``folder_lock`` keeps the folder for one process at a time.
6. ``counts_file`` reads, writes and merges counts files, and makes WordCounts of the result.

A Dask client (``cluster``) replaces step 4: its workers count parts of the files, and each finished run goes to the
store.
"""
