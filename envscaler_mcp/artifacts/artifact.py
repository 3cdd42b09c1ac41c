"""What every stored document has in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envscaler_mcp.artifacts.canonical import canonical_json, digest_of
from envscaler_mcp.artifacts.members import MOST_BYTES, read_member_text
from envscaler_mcp.artifacts.mistakes import first_mistake
from envscaler_mcp.errors import ArtifactError, escaped_line
from envscaler_mcp.plain_files import read_named_file, replacing


class Part(BaseModel):
    """A piece of a document: frozen, and nothing in it that its model does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Provenance(Part):
    """Where a document came from, so that any trajectory can be traced back to its topic."""

    author: Literal["library", "model", "person"] = "library"
    parents: dict[str, str] = Field(default_factory=dict)
    """Digest of each document this one was made from, by its noun."""
    model: str | None = None
    prompt_digest: str | None = None
    seed: int | None = None


class Artifact(Part):
    """One JSON document, written whole or not at all."""

    VERSION: ClassVar[int] = 1
    """Raised when documents of the older shape can no longer be read."""

    MOST_BYTES: ClassVar[int] = MOST_BYTES
    """How large a file of a folder that may come from anywhere is read."""
    schema_version: int = 1
    provenance: Provenance = Provenance()

    def model_post_init(self, _context: object) -> None:
        if self.schema_version != self.VERSION:
            raise ValueError(f"schema_version {self.schema_version} is not {self.VERSION}; make the document again")

    @property
    def digest(self) -> str:
        """The document's identity: equal content, equal digest."""
        return digest_of(self.model_dump(mode="json"))

    def to_text(self) -> str:
        """The document as it is stored: stable, readable, one trailing newline."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def to_line(self) -> str:
        """The document as one line of a file of many."""
        return canonical_json(self.model_dump(mode="json")) + "\n"

    def write(self, path: Path) -> None:
        """Replace the file in one step, so that a reader never sees half a document."""
        write_text(path, self.to_text())

    @classmethod
    def from_text(cls, text: str, name: str) -> Self:
        """The document in a text; `name` tells the reader of an error which one it was."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as cause:
            said = escaped_line(first_mistake(cause, "the document: "))
            raise ArtifactError(f"{name} is not a {cls.__name__}: {said}") from cause

    @classmethod
    def read(cls, path: Path) -> Self:
        """The document in a file that the user named, perhaps by a link."""
        try:
            text = read_named_file(path, cls.MOST_BYTES).decode("utf-8")
        except UnicodeDecodeError as cause:
            raise ArtifactError(f"{path} cannot be read: {cause}") from cause
        return cls.from_text(text, str(path))

    @classmethod
    def read_in(cls, folder: Path, name: str) -> Self:
        """The document in a file of a folder that may come from anywhere."""
        return cls.from_text(read_member_text(folder, name, cls.MOST_BYTES), str(folder / name))


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        with replacing(path) as new:
            new.write_text(text, encoding="utf-8", newline="\n")
            new.chmod(0o644)
    except OSError as cause:
        raise ArtifactError(f"{path} cannot be written: {cause}") from cause
