"""State machines as files: TOML, SCXML, JSON, and classes of Python."""
