"""The motion editor: key-frames made in the page, posed by inverse kinematics, rehearsed, saved, played."""
