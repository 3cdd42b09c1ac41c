"""Prompt files with what a question is about filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from envscaler_mcp.artifacts.artifact import Part
from envscaler_mcp.artifacts.canonical import digest_of
from envscaler_mcp.errors import ArtifactError, ModelError
from envscaler_mcp.plain_files import read_below

PROMPTS = Path(__file__).parent
"""The prompts that ship."""
_LARGEST = 1 << 20
"""Bytes of a prompt."""
_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_PARTS = re.compile(r"^<!-- (system|user) -->\n", re.MULTILINE)


class Prompt(Part):
    """One question in words."""

    name: str
    digest: str
    """Of the prompt file, without what was filled in: documents name the wording that made them."""
    system: str
    user: str


def prompt_names() -> list[str]:
    """The names of the prompts that ship."""
    return sorted(path.stem for path in PROMPTS.glob("*.md"))


class Prompts:
    """The prompts that ship, those in a folder of one's own before them."""

    def __init__(self, own: Path | None = None) -> None:
        self.own = own
        for path in sorted(own.glob("*.md")) if own is not None else ():
            if path.stem not in prompt_names():
                raise ModelError(f"{path} takes the place of no prompt; there are {', '.join(prompt_names())}")

    def render(self, name: str, /, **values: str) -> Prompt:
        """The prompt with its places filled; a place without a value is an error, and so is a value without a place."""
        path, text = self._path(name), self._text(name)
        parts = _parts(text, path)
        places = set(_PLACE.findall("".join(parts.values())))
        if places != values.keys():
            missing, unused = sorted(places - values.keys()), sorted(values.keys() - places)
            problems = [f"{path} has a place for {slot!r}, which no question fills" for slot in missing]
            problems += [
                f"{path} has no place for {slot!r}, without which the question means nothing" for slot in unused
            ]
            raise ModelError("; ".join(problems))
        return Prompt(
            name=name,
            digest=digest_of(text),
            system=_filled(parts["system"], values),
            user=_filled(parts["user"], values),
        )

    def digest_of(self, name: str) -> str:
        """The identity of a prompt's wording."""
        return digest_of(self._text(name))

    def _text(self, name: str) -> str:
        try:
            path = self._path(name)
            return read_below(path.parent, path.name, _LARGEST).decode("utf-8")
        except (ArtifactError, UnicodeDecodeError) as cause:
            raise ModelError(f"the prompt {name!r} cannot be read: {cause}") from cause

    def _path(self, name: str) -> Path:
        mine = self.own / f"{name}.md" if self.own is not None else None
        return mine if mine is not None and os.path.lexists(mine) else PROMPTS / f"{name}.md"


def _parts(text: str, path: Path) -> dict[str, str]:
    pieces = _PARTS.split(text)
    parts = {pieces[at]: pieces[at + 1].strip() for at in range(1, len(pieces), 2)}
    if parts.keys() != {"system", "user"}:
        raise ModelError(f"{path} needs a part after `<!-- system -->` and one after `<!-- user -->`, each once")
    return parts


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]].strip("\n"), text)
