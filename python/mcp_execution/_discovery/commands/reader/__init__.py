"""Follows a script without running it, to know what its command line is built of."""
