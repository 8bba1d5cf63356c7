"""Tests of ``minbpe_course.splitting``."""
