"""How the final state of an episode becomes a verdict. `reward.py` is the rule; it is pure and imports only artifacts.

`judging.py` runs the checks of a final state in workers. `verdicts.py` decides who owns a failure. `graders.py` grades
final states while a scenario is proven.
"""
