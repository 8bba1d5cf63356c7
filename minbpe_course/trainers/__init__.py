"""From word counts to a model, one file per kind of model."""
