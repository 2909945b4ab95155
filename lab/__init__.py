"""Measure whether an AI agent really helps."""

__version__ = "0.1.0"
