"""Tests of ``minbpe_course.compat``."""
