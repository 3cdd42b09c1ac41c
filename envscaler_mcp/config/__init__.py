"""What a command is given: one model for each of `run`, `play` and `synthesize`, whose fields are the command's options."""
