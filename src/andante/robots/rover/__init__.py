"""Description and meshes of the rover."""
