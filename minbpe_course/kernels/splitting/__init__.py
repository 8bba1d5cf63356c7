"""Text to words."""
