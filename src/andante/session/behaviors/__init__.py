"""State machines in a live session: their skills, what they know of the robot, and `an.behave`."""
