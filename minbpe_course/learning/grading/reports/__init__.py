"""The reports made from a gradebook. These modules turn plain records into text; only ``writing`` touches files."""
