"""The experiments of lessons 13 to 19 that take too long for a lesson: ``python -m benchmarks.research``.

Each module ``lesson_NN`` has a function ``results()``. Its result is stored in
``minbpe_course/learning/practice/data/research_NN.json``, and lessons show it with ``measured("NN")``. Seeds are
fixed, and numbers are rounded, so that the same texts give the same numbers again.
"""
