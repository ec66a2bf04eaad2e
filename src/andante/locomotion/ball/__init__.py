"""Ball."""
