"""Rolling as a ball: the roller, its compiled kernels, and folding between hexapod and ball."""
