"""Falls."""
