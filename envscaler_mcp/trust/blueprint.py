"""The blueprint in a server folder, read only where it is the one that the folder's card was made of.

What is known of a card and its code holds for that blueprint; another one beside them may say anything.
"""

from __future__ import annotations

from pathlib import Path

from envscaler_mcp.artifacts import Blueprint, Environment
from envscaler_mcp.artifacts.members import read_member_text
from envscaler_mcp.errors import BlueprintError

BLUEPRINT = "blueprint.yaml"


def blueprint_beside(folder: Path, environment: Environment) -> Blueprint:
    """The blueprint in the folder of this card; BlueprintError where it is not the one that the card names."""
    # Most starts need no blueprint.
    from envscaler_mcp.language import read_blueprint

    blueprint = read_blueprint(read_member_text(folder, BLUEPRINT), str(folder / BLUEPRINT))
    if blueprint.digest != environment.blueprint_digest:
        raise BlueprintError(
            f"{folder / BLUEPRINT}: this is not the blueprint that {environment.id!r} was made of; make it again with "
            "`envscaler build`, or put that blueprint back"
        )
    return blueprint
