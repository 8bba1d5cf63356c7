"""Tests of ``minbpe_course.engines``."""
