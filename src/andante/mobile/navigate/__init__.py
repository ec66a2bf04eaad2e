"""A robot that drives to a goal by its own sensors."""
