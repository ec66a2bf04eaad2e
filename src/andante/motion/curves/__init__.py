"""Curves through points and poses: Bezier, NURBS, rotations and poses."""
