"""The scene editor's side of the session: things on a floor as JSON, made a world, saved as SDF and read back."""
