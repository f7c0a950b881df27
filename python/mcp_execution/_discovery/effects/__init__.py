"""What importing a script does."""
