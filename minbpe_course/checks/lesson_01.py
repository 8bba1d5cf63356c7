"""The exercises of lesson 01, UTF-8 basics. The records stand in four files beside this one."""

from __future__ import annotations

from minbpe_course.checks.page_code import PAGES
from minbpe_course.checks.utf8_reading import DECODE, STREAM
from minbpe_course.checks.utf8_testing import TEST
from minbpe_course.checks.utf8_writing import COUNT, CUT, ENCODE

EXERCISES = (COUNT, ENCODE, CUT, TEST, DECODE, STREAM, PAGES)
