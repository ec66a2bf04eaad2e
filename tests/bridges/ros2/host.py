"""A session and its ROS 2 bridge in one process. Args: domain, interface. It says what it has heard when stdin ends."""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from andante.bridges.ros2 import Ros2Bridge
from andante.bridges.rosbridge.client import run_beside
from conftest import Running


async def main(session, domain, interface):
    def make(bus):
        return Ros2Bridge(bus, domain, interface=interface, say=lambda text: print(text, flush=True))

    bridge = asyncio.create_task(run_beside(session.server.ws_url, make))
    end = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await asyncio.wait([bridge, end], return_when=asyncio.FIRST_COMPLETED)
    if not bridge.cancel():
        bridge.result()
    await asyncio.gather(bridge, return_exceptions=True)


running = Running()
try:
    asyncio.run(main(running, int(sys.argv[1]), sys.argv[2]))
    running.until(lambda: not running.heard or running.heard[-1] == (0.0, 0.0))  # it is stopped
finally:
    running.stop()
print(json.dumps(sorted(set(running.heard))))
