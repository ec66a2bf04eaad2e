"""Motion files: key-frames (TOML, CSV), actions, recordings, and the built-in library."""
