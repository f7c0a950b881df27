"""Docstrings: as they are written, and taken apart."""
