"""A studio that other machines in the network reach: visitors join by the link, and everything else needs a session."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from envscaler_mcp.farm.access import SESSION_KEY
from tests.farm.farms import ROOT
from tests.studio.test_in_browser import studio_program
from tests.studio.visitors import ENVIRONMENT, TASK, Visitor, joined


def own_address() -> str:
    """An address of this machine that is not the one for itself alone; nothing where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            # Nothing is sent: only the way there is looked up.
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(asking.getsockname()[0])


ADDRESS = own_address()


@pytest.mark.slow
@pytest.mark.skipif(not ADDRESS or ADDRESS.startswith("127."), reason="this machine is in no network")
async def test_visitors_join_over_the_network_and_nothing_else_is_open_to_it(tmp_path: Path) -> None:
    with studio_program(tmp_path, ROOT, "--host", ADDRESS) as address:
        url, _, code = address.partition("/#code=")
        assert url.startswith(f"http://{ADDRESS}:")
        async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as web:
            for path in ("/v1/worlds", "/v1/classes", "/v0.1/servers", "/metrics", f"/e/{ENVIRONMENT}/new"):
                assert (await web.get(path)).status_code == 401, path
            answer = await web.post(f"/studio/login/{code.split('.')[3]}", json={"code": code})
            web.headers[SESSION_KEY] = answer.json()["key"]
            teacher = Visitor(web)
            board = await teacher.ask("POST", "/v1/classes", {"environment": ENVIRONMENT, "scenario": TASK})
            assert board["reachable"]
            assert board["address"].startswith(url)
            async with joined(url, board["address"], "Ada") as ada:
                place = f"/v1/worlds/{(await ada.get('/v1/seat'))['seat']}"
                assert (await ada.get(place))["place"] == "worker"
                assert (await ada.call(place, "list_wards"))["kind"] == "done"


def test_an_address_that_visitors_cannot_type_is_refused() -> None:
    for host in ("0.0.0.0", "::"):
        command = [sys.executable, "-m", "envscaler_mcp", "studio", "--host", host, "--no-browser"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, "address" in ended.stderr) == (2, True)
