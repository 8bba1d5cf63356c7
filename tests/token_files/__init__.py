"""Tests of ``minbpe_course.token_files``."""
