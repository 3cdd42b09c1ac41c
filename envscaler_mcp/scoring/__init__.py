"""What an episode was worth, and records of it that survive whatever happens to the process that writes them."""
