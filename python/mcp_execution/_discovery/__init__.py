"""What a script offers, read from its source alone: nothing of it is executed."""
