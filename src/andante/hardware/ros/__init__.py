"""Robots behind ROS: over rosbridge, or at a ROS 1 master."""
