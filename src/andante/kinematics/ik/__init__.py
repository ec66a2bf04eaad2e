"""Inverse kinematics: options and results over a compiled Levenberg-Marquardt solver."""
