"""Make the exercises that learners get out of the notebooks with solutions.

    solutions/*.ipynb   --release.release_files-->   exercises/*.ipynb

Grading reads the released notebooks; nothing here knows about submissions.
"""
