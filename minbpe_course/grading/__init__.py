"""Turn submissions into marks. Importing this package imports none of its modules.

From a submission to a mark, ``minbpe-course grade`` (``cli/grade.py``) takes these steps, each named by its module and
function:

    1.  intake.read_submissions       one Submission per learner, from a folder or a zip (archives.in_folder, in_zip);
                                      layouts.owner_of tells whose file it is by the names that the platforms give
    2.  released.questions            the questions: the untouched answer cells and the code given with them
    3.  batch.grade                   one thread per learner, question by question; skips what gradebook.Gradebook has
    4.  notebook_cells.read_notebook  bytes to code cells: bounded, nothing compiled
    5.  notebook_cells.find_answer    the learner's answer to one question, and the other code of that notebook
    6.  marking.mark                  judges the answer, tries a slow one again alone, withholds hidden values
    7.  running.RemoteCaller          starts one process per implementation in a sandbox (choose_sandbox.best) and sends
                                      it one call at a time, with limits on processor time and size (pipes.open_pipes)
    8.  worker.main                   inside the sandbox: restricts itself (sandbox.inside.confine), defines the answer
                                      and what it needs (definitions.wanted_from), returns plain values
    9.  checks.judge.judge            compares them with the reference, in the grader's process, and gives a Verdict
    10. gradebook.Gradebook.keep      commits the mark to SQLite
    11. reports.writing               report.html and results.json per learner, summary.html and grades.csv for all
"""
