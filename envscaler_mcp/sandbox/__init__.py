"""Running unread code: a gate that checks its text, and a worker that confines it."""
