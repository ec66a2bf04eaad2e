"""Walking on two legs: body model, footsteps over a linear inverted pendulum, state estimation, the walk itself."""
