"""A robot that explores and maps by itself."""
