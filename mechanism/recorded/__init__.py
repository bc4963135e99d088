"""recorded."""
