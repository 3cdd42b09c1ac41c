"""How easy the code is to read, in figures: lengths, comments, names with two homes, chains of calls.

    python benchmarks/reading.py                   the package
    python benchmarks/reading.py FOLDER [ROOM …]   another package, or some rooms of it

It reads source only. A call counts as one hop where its name leads, by imports and definitions alone, to one function or
class of the package; methods count within their own class.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "envscaler_mcp"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """One file."""

    name: str
    text: str
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)
    """Local name to the full name that it stands for."""

    @classmethod
    def read(cls, path: Path, package: Path) -> Module:
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        module = cls(name, text, ast.parse(text))
        base = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom):
                source = ".".join([*(base[: len(base) - node.level + 1] if node.level else []), node.module or ""])
                for alias in node.names:
                    module.imports[alias.asname or alias.name] = f"{source.strip('.')}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    module.imports[alias.asname or alias.name] = alias.name
        return module

    @cached_property
    def functions(self) -> list[tuple[str, str, Function]]:
        """Every function: its name, its class or nothing, its node."""
        pairs = [("", node) for node in self.tree.body] + [
            (node.name, inner) for node in self.tree.body if isinstance(node, ast.ClassDef) for inner in node.body
        ]
        return [(node.name, owner, node) for owner, node in pairs if isinstance(node, Function)]

    @cached_property
    def public(self) -> set[str]:
        """The public functions and classes that it defines."""
        nodes = [node for node in self.tree.body if isinstance(node, Function | ast.ClassDef)]
        return {node.name for node in nodes if not node.name.startswith("_")}

    @property
    def comments(self) -> int:
        return sum(line.lstrip().startswith("#") or "  # " in line for line in self.text.splitlines())


def homes(modules: list[Module]) -> dict[str, list[str]]:
    """Public functions and classes that several modules define, each with these modules.

    The commands' functions and the parts that all have by protocol, such as `app`, are found by module and left out.
    """
    defined: dict[str, list[str]] = defaultdict(list)
    for module in modules:
        if ".cli." not in module.name:
            for name in module.public:
                defined[name].append(module.name)
    return {name: sorted(places) for name, places in sorted(defined.items()) if len(places) > 1}


class Calls:
    """Who calls whom, as far as names tell."""

    def __init__(self, modules: list[Module]) -> None:
        self.edges: dict[str, set[str]] = {}
        self.module_of: dict[str, str] = {}
        for module in modules:
            for name, owner, _ in module.functions:
                self.module_of[".".join(filter(None, (module.name, owner, name)))] = module.name
        for module in modules:
            for name, owner, node in module.functions:
                full = ".".join(filter(None, (module.name, owner, name)))
                self.edges[full] = {goal for goal in self._goals(module, owner, node) if goal != full}

    def _goals(self, module: Module, owner: str, node: Function) -> set[str]:
        goals = set()
        for call in (inner for inner in ast.walk(node) if isinstance(inner, ast.Call)):
            match call.func:
                case ast.Name(id=name):
                    full = module.imports.get(name, f"{module.name}.{name}")
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                    full = f"{module.name}.{owner}.{name}"
                case ast.Attribute(value=ast.Name(id=base), attr=name):
                    full = f"{module.imports.get(base, f'{module.name}.{base}')}.{name}"
                case _:
                    continue
            goals |= {goal for goal in (full, f"{full}.__init__") if goal in self.module_of}
        return goals

    def deepest(self) -> list[str]:
        """The longest chain of calls in which no function comes twice, found without following circles."""
        best: dict[str, list[str]] = {}
        running: set[str] = set()

        def chain(name: str) -> list[str]:
            if name in best:
                return best[name]
            running.add(name)
            below = max((chain(goal) for goal in sorted(self.edges[name]) if goal not in running), key=len, default=[])
            running.discard(name)
            best[name] = [name, *below]
            return best[name]

        return max((chain(name) for name in sorted(self.edges)), key=len, default=[])


def share(numbers: list[int], percent: int) -> int:
    """The number below which so many of a hundred lie."""
    return sorted(numbers)[min(len(numbers) - 1, len(numbers) * percent // 100)]


def table(modules: list[Module]) -> list[tuple[str, str]]:
    """Each figure with its name."""
    functions = [node for module in modules for _, _, node in module.functions]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    files = [len(module.text.splitlines()) for module in modules]
    typed = sum(node.returns is not None for node in functions)
    calls = Calls(modules)
    chain = calls.deepest()
    double = homes(modules)
    return [
        ("files / lines", f"{len(files)} / {sum(files):,}"),
        ("function p50 / p90 / p99 / max", " / ".join(str(share(lengths, p)) for p in (50, 90, 99, 100))),
        ("file p50 / p90 / max", " / ".join(str(share(files, p)) for p in (50, 90, 100))),
        ("returns typed", f"{100 * typed // len(functions)} %"),
        ("comments per 1,000 lines", f"{1000 * sum(m.comments for m in modules) / sum(files):.0f}"),
        ("deepest static chain, functions / modules", f"{len(chain)} / {len({calls.module_of[n] for n in chain})}"),
        ("public names with two or more homes", str(len(double))),
        *((f"  {name}", ", ".join(places)) for name, places in double.items()),
        ("the chain", ""),
        *((f"  {name}", "") for name in chain),
    ]


def main() -> None:
    folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PACKAGE
    rooms = sys.argv[2:]
    paths = [p for p in folder.rglob("*.py") if not rooms or p.relative_to(folder).parts[0] in rooms]
    for name, figure in table([Module.read(path, folder) for path in sorted(paths)]):
        print(f"{name:<44} {figure}")


if __name__ == "__main__":
    main()
