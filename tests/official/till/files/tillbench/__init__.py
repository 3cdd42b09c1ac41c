"""A benchmark as other authors publish one: a class, a checker and tasks."""
