"""Command lines that are read with click."""
