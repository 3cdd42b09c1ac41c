"""Ways to a running server: in memory, over standard streams, over HTTP. Each is one `async with`, in one task."""
