"""Makes the README of a package from that of the checkout: an index page has no files beside it, so links become commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Pictures are files too, and index pages draw no diagrams.
_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!\w+:)[^)]+\)\n+|^```mermaid\n[\s\S]*?^```\n+", re.MULTILINE)
_TARGET = r"\[([^\]]+)\]\((?!\w+:|#)([^)\s#]+)(?:#[^)\s]*)?\)"
_LINK = re.compile(rf"\({_TARGET}\)|(?<!!){_TARGET}")
_PAGE = re.compile(r"docs/([\w-]+)\.md")


def readme_of_package(text: str) -> str:
    """The same text where nothing leads to a file: a page of the documentation is named by the command that prints it."""
    return _LINK.sub(_without_file, _PICTURE.sub("", text))


def _without_file(link: re.Match[str]) -> str:
    words, target = link[3] or link[1], link[4] or link[2]
    page = _PAGE.fullmatch(target)
    command = f"`envscaler docs {page[1]}`" if page else f"`{target}` of the source distribution"
    if link[1]:
        return f"({command})"
    return command if words == target else f"{words} ({command})"


class ReadmeOfPackage(MetadataHookInterface):  # type: ignore[misc]
    """Sets `readme`, which pyproject.toml leaves open."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Read the README of the checkout and write the one of the package."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme_of_package(text)}
