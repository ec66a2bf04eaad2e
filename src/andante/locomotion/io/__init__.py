"""Files of gaits: rigs, parameters, motions of falls, shipped wave gaits."""
