"""What a learner types in an exercise: ``check``, ``hint`` and ``progress``.

    check      the answer, judged where it stands, and the verdict drawn
    hints      the ladder of hints, a step at a time
    progress   what is done, kept in one small file beside the notebook

Nothing here is part of marking: a learner may change every byte of it, and gains nothing by it.
"""
