"""Make the notebooks of a lesson out of the files of its exercises, and help the authors of these files.

    lesson_02/*.py    --release.release_files-->   solutions/02_naive_bpe.ipynb, exercises/02_naive_bpe.ipynb
    new_exercise, check_exercises                  what authors do before

Nothing here knows about submissions.
"""
