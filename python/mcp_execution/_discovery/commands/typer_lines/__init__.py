"""Command lines that are read with typer."""
