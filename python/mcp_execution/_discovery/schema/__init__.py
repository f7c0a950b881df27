"""Annotations as JSON Schema, by the same rules as the conversion at run time."""
