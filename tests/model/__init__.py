"""Tests of ``minbpe_course.model``."""
