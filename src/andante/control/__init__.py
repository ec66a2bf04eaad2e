"""Control of one robot: its body, what it does (activities, walkers), who commands it, and what happens when it falls."""
