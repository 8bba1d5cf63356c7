"""The reports made from a gradebook.

    learner        DIR/<learner>/report.html     one page for the learner
    summary        DIR/summary.html              one page about the class, for the teacher
    gradescope     DIR/<learner>/results.json    the format of Gradescope's autograders
    nbgrader       DIR/grades.csv                the columns of ``nbgrader export``
    page           the HTML parts that both pages share

These turn plain records into text; only ``writing`` touches files.
"""
