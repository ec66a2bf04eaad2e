"""Built-in robots: one folder each with NAME.urdf.xacro, its side file and the code that makes its meshes."""
