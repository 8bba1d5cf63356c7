"""Texts to learn from (``texts``), and documents read from files (``reading``). The texts are read when asked for."""

from __future__ import annotations

from minbpe_course.corpus.texts import cldr_names, course_sections, course_text, pydoc_topics, python_source

__all__ = ["cldr_names", "course_sections", "course_text", "pydoc_topics", "python_source"]
