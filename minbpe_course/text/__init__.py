"""What is known about text before any token exists: split patterns, character classes, printable bytes."""
