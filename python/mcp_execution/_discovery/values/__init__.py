"""Values that the source says outright."""
