"""OpenEnv's own client for tools, its validator of running environments, and its graders of what goes over the wire."""

import asyncio
import contextlib
import io
import json
import os
import sys
import tempfile
import urllib.request
from pathlib import Path
from types import SimpleNamespace

from openenv.cli._validation import validate_running_environment
from openenv.core.env_server.mcp_types import CallToolAction
from openenv.core.mcp_client import MCPToolClient
from openenv.validation import Level, run_validation
from openenv.validation.graders.runtime import basic
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import RuntimePlan

BASE, TASK = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
TOKEN = os.environ["ENVSCALER_FARM_TOKEN"]
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
# Where its programs send no headers, the token stands in the address.
NAMED = BASE.replace("://", f"://token:{TOKEN}@")


def asked(what):
    with urllib.request.urlopen(urllib.request.Request(f"{BASE}/{what}", headers=HEADERS)) as answer:
        return answer.read()


async def tools():
    async with MCPToolClient(base_url=BASE, headers=HEADERS) as client:
        listed = await client.list_tools()
        await client.reset(scenario=TASK["id"])
        total = 0.0
        for call in TASK["oracle"]:
            step = await client.step(CallToolAction(tool_name=call["tool"], arguments=call["arguments"]))
            total += step.reward
        assert abs(total - 1) < 1e-9, total
        return len(listed)


def main():
    report = validate_running_environment(NAMED)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "openenv.yaml").write_bytes(asked("openenv.yaml"))
        manifest = OpenEnvYamlParser().parse(Path(folder))
        validated = run_validation(Path(folder), max_level=Level.STATIC)
    static = next(check for check in validated.results if check.check_id == "static.manifest")
    plan = RuntimePlan.model_validate_json(asked(f"runtime.json?scenario={TASK['id']}"))
    evidence = collect_runtime_evidence(NAMED, plan, episode_timeout_s=60)
    subject = SimpleNamespace(runtime_evidence=evidence, manifest=manifest)
    graders = basic.RewardWellFormedGrader, basic.ObservationSchemaGrader, basic.StateContractGrader
    results = [grader().run(subject) for grader in graders]
    problems = [result.evidence for result in results if result.status.value != "pass"]
    return {
        "passed": report["passed"],
        "problems": problems,
        "manifest": static.status.value,
        "tools": asyncio.run(tools()),
    }


with contextlib.redirect_stdout(io.StringIO()):
    found = main()
print(json.dumps(found))
