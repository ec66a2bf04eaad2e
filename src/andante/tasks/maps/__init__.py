"""Tasks about maps: from logs, worlds and live robots, and where a robot was on them."""
