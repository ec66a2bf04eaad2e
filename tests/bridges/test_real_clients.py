"""The real clients of rosbridge: `roslibpy` and npm `roslib`, each in a process of its own."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAN_AS_NULL = [0.25, None]


def report(*command, **options):
    """The JSON that a client prints."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check_action(seen, failed):
    assert seen["action"]["feedback"] == [0.0, 1.0, 2.0]
    assert 0 < len(seen["cancelled"]["feedback"]) < 200
    assert failed


def test_roslib_of_javascript(session, node_folder):
    session.heard.clear()
    session.do(lambda: session.bus.parameters.set("/nao/pgain", 1.5))
    seen = report("node", str(node_folder / "client.mjs"), session.server.ws_url)
    assert seen["json"] == NAN_AS_NULL
    assert seen["cbor"] == {"name": ["a", "b"], "position": ["Float64Array", ["0.25", "NaN"]], "stamp": "number"}
    assert seen["raw"]["head"] == [0, 1, 0, 0]
    assert seen["raw"]["kind"] == "Uint8Array"
    assert seen["png"] == seen["latched"] == "<robot name='x'/>"
    assert seen["service"] == {"values": {"success": True, "message": "set"}}
    assert "ZeroDivisionError" in seen["broken"]["failed"]
    assert "no service '/nope'" in seen["unknown"]["failed"]
    check_action(seen, "Action was canceled" in seen["cancelled"]["failed"])
    assert seen["action"]["result"]["error_string"] == "there"
    assert (
        dict(zip(seen["topics"]["topics"], seen["topics"]["types"], strict=True))["/imu/data"] == "sensor_msgs/msg/Imu"
    )
    assert seen["topicType"] == "geometry_msgs/msg/Twist"
    assert seen["forType"] == ["/cmd_vel"]
    assert {"/pause", "/set", "/rosapi/topics"} <= set(seen["services"])
    assert seen["serviceType"] == "std_srvs/srv/SetBool"
    assert {"/robot", "/base", "/session"} <= set(seen["nodes"])
    assert seen["actions"] == ["/reach"]
    assert seen["params"] == ["/nao/pgain"]
    assert seen["details"] == {part: {"x": "float64", "y": "float64", "z": "float64"} for part in ("linear", "angular")}
    assert seen["raws"] == len(seen["topics"]["topics"])
    assert (seen["paramBefore"], seen["paramAfter"]) == (1.5, 3.5)
    assert "goes from 0 to 10" in seen["paramRefused"]
    assert seen["offered"] == {"success": True, "message": "from JavaScript"}
    assert any("no topic '/nope'" in status for status in seen["statuses"])
    session.until(lambda: (0.25, -0.5) in session.heard)
    session.until(lambda: session.heard[-1] == (0.0, 0.0))  # it left while driving


def test_roslibpy(session, missing):
    if importlib.util.find_spec("roslibpy") is None:
        missing("roslibpy is not installed")
    session.heard.clear()
    seen = report(sys.executable, str(HERE / "python" / "roslibpy_client.py"), "127.0.0.1", str(session.server.port))
    assert seen["joints"] == NAN_AS_NULL
    assert seen["latched"] == "<robot name='x'/>"
    assert seen["service"] == {"success": True, "message": "set"}
    assert "ZeroDivisionError" in seen["broken"]
    check_action(seen, seen["cancelled"]["status"] == "CANCELED")
    assert seen["action"]["status"] == "SUCCEEDED"
    assert seen["action"]["values"]["error_string"] == "there"
    assert "/joint_states" in seen["topics"]
    assert seen["type"] == "geometry_msgs/msg/Twist"
    assert "/set" in seen["services"]
    assert seen["service_type"] == "std_srvs/srv/SetBool"
    assert "/robot" in seen["nodes"]
    assert seen["details"]["typedefs"][0]["fieldnames"] == ["linear", "angular"]
    assert seen["params"] == ["/nao/pgain"]
    assert seen["param"] == 4.5
    assert seen["offered"] == {"success": True, "message": "from Python"}
    session.until(lambda: (0.5, 0.125) in session.heard)
    session.until(lambda: session.heard[-1] == (0.0, 0.0))
