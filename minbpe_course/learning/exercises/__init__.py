"""The exercises of the course: a folder for each lesson, a file for each exercise."""
