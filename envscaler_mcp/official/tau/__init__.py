"""tau-bench: retail and airline."""
