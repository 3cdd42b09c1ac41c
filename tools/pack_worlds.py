"""Packs the worlds of a checkout into the archive that a wheel carries; needs nothing but Python's own library."""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from hashlib import sha256
from pathlib import Path

ARCHIVE, CONTENTS = "worlds.tar.xz", "worlds.json"
LOCAL = {".built.json", "more_scenarios.jsonl"}
"""Files of a server folder that do not ship."""


def world_files(home: Path) -> list[Path]:
    """The registry, and every file of a registered world that ships."""
    entries = json.loads((home / "registry.json").read_text(encoding="utf-8"))["entries"]
    files = [home / "registry.json"]
    for entry in entries:
        folder = home / "generated_servers" / entry["id"]
        if not (folder / "environment.json").is_file():
            raise FileNotFoundError(f"{folder} is registered and not there; `make emit` writes it")
        files += [path for path in folder.rglob("*") if path.is_file() and _ships(path.relative_to(folder))]
    return sorted(files)


def _ships(path: Path) -> bool:
    return path.name not in LOCAL and "__pycache__" not in path.parts


def pack(home: Path, into: Path, preset: int = 6) -> tuple[Path, Path]:
    """Write the archive and what it contains into a folder: the same bytes for the same worlds."""
    raw, sizes = io.BytesIO(), {}
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in world_files(home):
            content = path.read_bytes()
            member = tarfile.TarInfo(path.relative_to(home).as_posix())
            member.size, member.mode = len(content), 0o644
            sizes[member.name] = member.size
            tar.addfile(member, io.BytesIO(content))
    packed = lzma.compress(raw.getvalue(), preset=preset)
    document = {"digest": sha256(packed).hexdigest(), "files": dict(sorted(sizes.items()))}
    archive, contents = into / ARCHIVE, into / CONTENTS
    archive.write_bytes(packed)
    contents.write_text(json.dumps(document, indent=0) + "\n", encoding="utf-8")
    return archive, contents
