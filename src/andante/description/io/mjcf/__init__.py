"""MJCF, the format of MuJoCo: reader and writer."""
