"""What comes out of a gradebook, for everybody who reads it.

    learner        DIR/<learner>/report.html     one page for the learner
    summary        DIR/summary.html              one page for the teacher, with pictures of the class
    gradescope     DIR/<learner>/results.json    the format of Gradescope's autograders
    nbgrader       DIR/grades.csv                the columns of ``nbgrader export``
    page           the look that both pages share, and the one way in which text gets into them
    pictures       bars, as inline SVG

All of these are functions from plain records to text; ``writing`` is the one that touches files.
"""
