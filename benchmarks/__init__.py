"""This course measured beside the programs that do the same work: ``python -m benchmarks`` (see ``make help``)."""
