"""Ids to bytes and text."""
