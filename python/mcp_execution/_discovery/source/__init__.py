"""The source of scripts and of the modules beside them, and what the names in it stand for."""
