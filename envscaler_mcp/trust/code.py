"""A server folder's code, and whether this installation's compiler makes it of the blueprint in that folder.

Nothing in a folder is believed: not its card, not its digests, not its registry. What is compiled here and equals what
lies there, to the letter, is the compiler's own, no matter who put it there.
"""

from __future__ import annotations

from pathlib import Path

from envscaler_mcp.artifacts import Environment, digest_of
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.errors import ArtifactError, EnvScalerError
from envscaler_mcp.plain_files import read_below
from envscaler_mcp.serving.code import EnvironmentCode, Trust, load_folder
from envscaler_mcp.trust.blueprint import BLUEPRINT
from envscaler_mcp.trust.memory import recall, remember


def known_code(folder: Path, registered: RegistryDigests, most_card: int, most_source: int) -> EnvironmentCode | None:
    """The code of a server folder if it was compiled here before, or is the library's; None for any other.

    No other source is parsed and no other blueprint is read, so this is quick for every folder.
    """
    environment, source = load_folder(folder, most_card, most_source)
    compiled = environment.origin == "compiled" and digest_of(source) == environment.code_digest
    if not compiled or _differs(environment, registered):
        return None
    trust = recall(environment, source)
    if trust is None and _has_blueprint_of_library(folder, environment):
        trust = _trust(folder, environment, source)
    return None if trust in (None, "unread") else EnvironmentCode.of(environment, source, trust)


def _has_blueprint_of_library(folder: Path, environment: Environment) -> bool:
    """Whether the blueprint in the folder is a file of the library, byte for byte."""
    from envscaler_mcp.library import blueprint_files

    shipped = blueprint_files().get(environment.id)
    if shipped is None or not has_member(folder, BLUEPRINT):
        return False
    wanted = shipped.read_bytes()
    try:
        return read_below(folder, BLUEPRINT, len(wanted)) == wanted
    except ArtifactError:
        return False


def load_code(folder: Path, registered: RegistryDigests | None = None) -> EnvironmentCode:
    """The code of a server folder; where it is not the code that was registered, it is unread."""
    environment, source = load_folder(folder)
    code = EnvironmentCode.of(environment, source)
    if not code.journaled or _differs(environment, registered):
        return code
    return EnvironmentCode.of(environment, source, _trust(folder, environment, source))


def _differs(environment: Environment, registered: RegistryDigests | None) -> bool:
    if registered is None:
        return False
    return registered.code != environment.code_digest or registered.environment != environment.digest


def _trust(folder: Path, environment: Environment, source: str) -> Trust:
    known = recall(environment, source)
    if known is not None:
        return known
    trust = _made_again(folder, environment, source)
    if trust != "unread":
        remember(environment, source, trust)
    return trust


def _made_again(folder: Path, environment: Environment, source: str) -> Trust:
    """Compile the blueprint and compare; a folder whose blueprint cannot be compiled holds unread code."""
    # Imported here: what was compiled before is remembered, and most starts need no compiler.
    from envscaler_mcp.language import read_blueprint
    from envscaler_mcp.library import blueprint_files
    from envscaler_mcp.synthesis import synthesize

    try:
        read = read_blueprint(read_member_text(folder, BLUEPRINT), str(folder / BLUEPRINT))
        made = synthesize(read, environment.states)
        if made.source != source or not _same_card(made.environment, environment):
            return "unread"
        shipped = blueprint_files().get(read.id)
        return "shipped" if shipped is not None and read_blueprint(shipped).digest == read.digest else "compiled"
    except EnvScalerError:
        return "unread"


def _same_card(made: Environment, stored: Environment) -> bool:
    """Whether the two say the same of the code; who made it, and with which model, decides nothing."""
    return made.model_copy(update={"provenance": stored.provenance}) == stored
