"""Files for programs that cannot have this package beside them: each needs the standard library and its trainer, and a farm's URL."""
