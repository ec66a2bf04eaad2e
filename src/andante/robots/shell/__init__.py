"""The folding hexapod Shell: description, poses and generated meshes."""
