"""Command lines that are read with argparse."""
