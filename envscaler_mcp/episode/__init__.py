"""One task played to its end: the loop, agents, limits. How a world is reached is for `launch` to know."""
