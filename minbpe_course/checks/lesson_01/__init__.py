"""The exercises of lesson 01, UTF-8 basics. The records stand in four files beside this one."""

from __future__ import annotations

from minbpe_course.checks.lesson_01.pages import PAGES
from minbpe_course.checks.lesson_01.reading import DECODE, STREAM
from minbpe_course.checks.lesson_01.testing import TEST
from minbpe_course.checks.lesson_01.writing import COUNT, CUT, ENCODE

EXERCISES = (COUNT, ENCODE, CUT, TEST, DECODE, STREAM, PAGES)
