"""What is said about robots and worlds in files: `an.check`, `an.convert` and `an.rig`."""
