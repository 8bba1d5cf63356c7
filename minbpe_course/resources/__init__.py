"""What a call may use of the machine: memory and threads."""
