"""Read submissions: the owner of each file, the contents of folders and zips, the cells of notebooks.

Nothing here runs or compiles an answer. Importing this package imports none of its modules.
"""
