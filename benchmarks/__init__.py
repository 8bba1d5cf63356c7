"""Compare this course with other programs that do the same work: ``python -m benchmarks`` (see ``make help``)."""
