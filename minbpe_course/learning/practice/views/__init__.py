"""Show verdicts, hints, progress and standings: HTML in a notebook, plain text everywhere else."""
