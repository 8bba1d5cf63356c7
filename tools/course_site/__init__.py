"""The course as a site of plain files: ``python -m tools.course_site`` lays out the sources, builds, checks every link.

    source      what is laid out: the front page, lessons, exercises, pages for teachers, the table of contents
    notebook_pages  what a notebook becomes on its page
    reference   the pages of the reference, a page for each package
    docstrings  docstrings as reStructuredText
    extension   the Sphinx extension: descriptions of pictures, formulas without a script
    links       check every link of every page, and everything that a page fetches

Nothing is executed, nothing is downloaded, and the pages fetch nothing: they can be read from a disk.
"""
