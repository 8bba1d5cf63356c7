"""Make the exercises that learners get out of the notebooks with solutions, and help their authors.

    solutions/*.ipynb   --normalise.normalised, release.release_files-->   exercises/*.ipynb
    new_exercise, check_exercises                                          what authors do before

Grading reads the released notebooks; nothing here knows about submissions.
"""
