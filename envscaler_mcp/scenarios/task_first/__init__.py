"""Tasks that a model puts into words first, solves afterwards, and says how to check; they ship proven or not at all."""
