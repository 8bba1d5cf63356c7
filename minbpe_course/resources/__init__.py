"""The memory and the threads that a call may use."""
