"""Types of rooms above descriptions, for annotations alone: `_above.pyi` names them, no room is imported."""
