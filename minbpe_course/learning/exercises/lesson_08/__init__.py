"""The exercises of lesson 08: counting more text than fits into memory."""
