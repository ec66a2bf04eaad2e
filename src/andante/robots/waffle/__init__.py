"""Description and meshes of the waffle."""
