"""Lines of work in words: how near they are to each other, and which of them raw tasks are about."""
