"""The functions that a learner calls in an exercise: ``check``, ``hint`` and ``progress``.

    check      judges the answer in this process and draws the verdict
    hints      shows the hints of an exercise one step at a time
    progress   shows which exercises are done, from one small file next to the notebook

Nothing here is part of marking: a learner may change all of it and gains nothing.
"""
