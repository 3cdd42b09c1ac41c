"""Build time: from a blueprint or a written class to a server folder with proven scenarios."""
