"""Text to learn on (texts) and words counted from it (counting).

Importing the room costs nothing: the texts are read when they are asked for.
"""

from __future__ import annotations

from minbpe_course.corpus.texts import cldr_names, course_sections, course_text, pydoc_topics, python_source

__all__ = ["cldr_names", "course_sections", "course_text", "pydoc_topics", "python_source"]
