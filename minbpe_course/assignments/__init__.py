"""Make the exercises that learners get out of the notebooks with solutions.

    solutions/*.ipynb   --release.release_files-->   exercises/*.ipynb

parts      which part of an exercise a cell is, and its metadata
markers    where an answer begins and ends, and what replaces it
release    checks the rules of a notebook with answers, removes the answers, writes the file

Grading reads the released notebooks; nothing here knows about submissions.
"""
