"""An adapter whose trainer is not installed names the extra that brings it."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.rl.gem import register_gem
from envscaler_mcp.rl.gymnasium import register_gymnasium
from envscaler_mcp.rl.roll import register_roll


@pytest.mark.parametrize(
    ("register", "package"), [(register_gem, "gem"), (register_gymnasium, "gymnasium"), (register_roll, "gem")]
)
def test_a_missing_package_is_named_with_its_extra(
    register: Callable[[], object], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"{package} is not installed here; `pip install 'envscaler-mcp\[{package}\]'`"
    with pytest.raises(EnvScalerError, match=said) as error:
        register()
    assert isinstance(error.value, ImportError), "who asks whether it can be imported is answered as Python does"
