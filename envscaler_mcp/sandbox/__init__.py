"""Running code nobody has read: a gate that reads it, and a worker that keeps it away from everything else."""
