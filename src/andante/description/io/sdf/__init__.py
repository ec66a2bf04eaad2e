"""SDF, the format of Gazebo: reader and writer."""
