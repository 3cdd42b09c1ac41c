"""OpenEnv's own client at OpenEnv's own server, whose environment repeats a text: `python PROGRAM URL STEPS`."""

import asyncio
import json
import sys
import time

from openenv import GenericEnvClient


async def main() -> None:
    steps = int(sys.argv[2])
    async with GenericEnvClient(base_url=sys.argv[1].removesuffix("/ws")) as client:
        await client.reset()
        began = time.perf_counter()
        for _ in range(steps):
            await client.step({"text": "x" * 200})
    print(json.dumps({"steps": steps, "seconds": time.perf_counter() - began}))


asyncio.run(main())
