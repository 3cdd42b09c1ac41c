"""ACEBench-Agent, in English and in Chinese."""
