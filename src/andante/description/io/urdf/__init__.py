"""URDF with its Gazebo extensions: reader and writer."""
