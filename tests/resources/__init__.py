"""Tests of ``minbpe_course.resources``."""
