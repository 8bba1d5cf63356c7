"""What learners hand in, as data: whose file it is, what a folder or zip contains, the cells of a notebook.

Nothing here runs or compiles an answer. Importing this package imports none of its modules.
"""
