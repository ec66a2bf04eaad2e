"""Control of one robot: its body, what it does, who commands it, and what happens when it falls."""
