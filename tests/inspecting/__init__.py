"""Tests of ``minbpe_course.inspecting``."""
