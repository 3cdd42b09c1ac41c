"""Shipped worlds are unpacked once, whole, and never out of their folder."""

from __future__ import annotations

import io
import json
import lzma
import os
import shutil
import tarfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import pytest

from envscaler_mcp.errors import RegistryError
from envscaler_mcp.home.unpacking import unpacked
from envscaler_mcp.settings import ShippedWorlds
from tests.home.shipping import shipped
from tools.pack_worlds import pack


def _files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_what_is_unpacked_is_what_was_packed(tmp_path: Path) -> None:
    worlds = shipped(tmp_path, "oak_shelf", "pine_shelf")
    folder = unpacked(worlds)
    assert _files(folder) == _files(tmp_path / "checkout")
    assert list(worlds.cache.iterdir()) == [folder]
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert all(file.stat().st_mode & 0o133 == 0 for file in files), "plain files, written by their owner alone"


def test_the_same_worlds_are_the_same_archive_and_what_does_not_ship_is_not_in_it(tmp_path: Path) -> None:
    first = shipped(tmp_path, "oak_shelf").archive.read_bytes()
    folder = tmp_path / "checkout" / "generated_servers" / "oak_shelf"
    for name in (".built.json", "more_scenarios.jsonl", "__pycache__/environment.pyc"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
    (folder.parent / "not_registered").mkdir()
    (folder.parent / "not_registered" / "environment.json").write_text("{}")
    (tmp_path / "again").mkdir()
    assert pack(tmp_path / "checkout", tmp_path / "again", preset=0)[0].read_bytes() == first


def test_worlds_are_unpacked_once(tmp_path: Path) -> None:
    worlds = shipped(tmp_path, "oak_shelf")
    first = unpacked(worlds).stat()
    assert unpacked(worlds).stat().st_ino == first.st_ino


def _remove_one(folder: Path) -> None:
    (folder / "generated_servers" / "oak_shelf" / "environment.py").unlink()


def _shorten(folder: Path) -> None:
    (folder / "registry.json").write_text("{")


def _link(folder: Path) -> None:
    file = folder / "generated_servers" / "oak_shelf" / "environment.json"
    file.rename(folder.parent.parent / "elsewhere.json")
    file.symlink_to(folder.parent.parent / "elsewhere.json")


def _link_all(folder: Path) -> None:
    folder.rename(folder.parent.parent / "elsewhere")
    folder.symlink_to(folder.parent.parent / "elsewhere")


def _file_there(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("")


def _remove_cache(folder: Path) -> None:
    shutil.rmtree(folder.parent)


@pytest.mark.parametrize("clean", [_remove_one, _shorten, _link, _link_all, _file_there, _remove_cache])
def test_a_cache_that_was_cleaned_or_changed_is_made_again(tmp_path: Path, clean: Callable[[Path], None]) -> None:
    worlds = shipped(tmp_path, "oak_shelf", "pine_shelf")
    clean(unpacked(worlds))
    folder = unpacked(worlds)
    assert _files(folder) == _files(tmp_path / "checkout")
    assert not folder.is_symlink()
    assert list(worlds.cache.iterdir()) == [folder]


def test_another_version_has_a_folder_of_its_own(tmp_path: Path) -> None:
    first = shipped(tmp_path / "first", "oak_shelf")
    second = shipped(tmp_path / "second", "oak_shelf", "elm_shelf").model_copy(update={"cache": first.cache})
    folders = [unpacked(first), unpacked(second), unpacked(first)]
    assert folders[0] == folders[2] != folders[1]
    assert sorted(path.name for path in (folders[1] / "generated_servers").iterdir()) == ["elm_shelf", "oak_shelf"]


def test_processes_that_start_at_once_use_one_whole_folder(tmp_path: Path) -> None:
    worlds = shipped(tmp_path, *(f"shelf_{number}" for number in range(20)))
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        folders = set(pool.map(unpacked, [worlds] * 8))
    (folder,) = folders
    assert _files(folder) == _files(tmp_path / "checkout")
    assert list(worlds.cache.iterdir()) == [folder]


def test_what_a_killed_process_left_is_removed_later(tmp_path: Path) -> None:
    worlds = shipped(tmp_path, "oak_shelf")
    old, new = worlds.cache / ".unpacking-old", worlds.cache / ".unpacking-new"
    for folder in (old, new):
        (folder / "worlds").mkdir(parents=True)
    os.utime(old, (0, 0))
    folder = unpacked(worlds)
    assert set(worlds.cache.iterdir()) == {folder, new}


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    worlds = shipped(tmp_path, "oak_shelf")
    worlds.cache.write_text("a file")
    with pytest.raises(RegistryError, match=r"cannot be unpacked into '.*cache'.*XDG_CACHE_HOME"):
        unpacked(worlds)


def _archived(folder: Path, member: tarfile.TarInfo, named: str) -> ShippedWorlds:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        tar.addfile(member, io.BytesIO(b"x" * member.size))
    packed = lzma.compress(raw.getvalue())
    (folder / "worlds.tar.xz").write_bytes(packed)
    document = {"digest": sha256(packed).hexdigest(), "files": {named: 1}}
    (folder / "worlds.json").write_text(json.dumps(document))
    return ShippedWorlds(archive=folder / "worlds.tar.xz", cache=folder / "cache")


def _member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 1) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.size, member.linkname = kind, size, "/etc/passwd"
    return member


@pytest.mark.parametrize(
    ("member", "named"),
    [
        (_member("../outside"), "../outside"),
        (_member("/tmp/outside"), "/tmp/outside"),
        (_member("generated_servers/../../outside"), "generated_servers/../../outside"),
        (_member("generated_servers/oak_shelf/.."), "generated_servers/oak_shelf/.."),
        (_member("../outside"), "registry.json"),
        (_member("registry.json", tarfile.SYMTYPE, 0), "registry.json"),
        (_member("registry.json", tarfile.LNKTYPE, 0), "registry.json"),
        (_member("registry.json", tarfile.FIFOTYPE, 0), "registry.json"),
        (_member("registry.json", size=2), "registry.json"),
        (_member("registry.json"), "generated_servers/oak_shelf/server.py"),
    ],
)
def test_no_member_leaves_the_folder_and_none_is_written_that_is_not_named(
    tmp_path: Path, member: tarfile.TarInfo, named: str
) -> None:
    worlds = _archived(tmp_path, member, named)
    with pytest.raises(RegistryError, match="install envscaler-mcp again"):
        unpacked(worlds)
    assert not worlds.cache.exists() or list(worlds.cache.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == ["worlds.json", "worlds.tar.xz"]


@pytest.mark.parametrize("damage", [b"", b"another archive"])
def test_a_damaged_archive_is_not_unpacked(tmp_path: Path, damage: bytes) -> None:
    worlds = shipped(tmp_path, "oak_shelf")
    worlds.archive.write_bytes(damage)
    with pytest.raises(RegistryError, match="is not as it was installed"):
        unpacked(worlds)


@pytest.mark.parametrize("text", ["", "[]", '{"digest": 7, "files": {}}', '{"digest": "../..", "files": {}}'])
def test_a_damaged_list_of_contents_is_named(tmp_path: Path, text: str) -> None:
    worlds = shipped(tmp_path, "oak_shelf")
    worlds.archive.with_name("worlds.json").write_text(text)
    with pytest.raises(RegistryError, match=r"worlds\.json is not as it was installed"):
        unpacked(worlds)
