"""Tests of ``minbpe_course.tokenizers``."""
