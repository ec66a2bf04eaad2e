"""A rover driven over rosbridge: the session here, the web server in a second process, a client as any other program.

The client is a plain WebSocket that speaks JSON; `roslibpy`, `roslib` in a browser and every other rosbridge client do
the same. It drives for two seconds and then vanishes without a word, and the rover stops.
"""

import json
import threading

from websockets.sync.client import connect

import andante as an

session = an.session.LiveSession("waffle", world="empty", seed=1)
server = an.bridges.start_server(session.bus)  # a process of its own, on 127.0.0.1 at a free port
session.inbound.append(server.poll)  # once per cycle; it never waits
print("the server runs in a process of its own:", server.alive)


def drive() -> None:
    """What another program does."""
    with connect(server.ws_url, proxy=None) as socket:

        def ask(service: str, **arguments: object) -> dict:
            socket.send(json.dumps({"op": "call_service", "id": service, "service": service, "args": arguments}))
            while (answer := json.loads(socket.recv(timeout=20))).get("id") != service:
                pass
            return answer["values"]

        print("type of /cmd_vel:", ask("/rosapi/topic_type", topic="/cmd_vel")["type"])
        print("publishers of /odom:", ask("/rosapi/publishers", topic="/odom")["publishers"])
        socket.send(json.dumps({"op": "subscribe", "topic": "/odom", "throttle_rate": 200}))
        socket.send(json.dumps({"op": "subscribe", "topic": "/nowhere", "id": "a typing error"}))
        for _ in range(40):
            message = json.loads(socket.recv(timeout=20))
            if message["op"] == "status":
                print("the server says:", message["msg"][:40], "...")
            elif message["op"] == "publish":
                pose = message["msg"]["pose"]["pose"]["position"]
                if pose["x"] > 0.3:
                    break
                twist = {"linear": {"x": 0.25}, "angular": {"z": 0.1}}
                socket.send(json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": twist}))
        socket.socket.close()  # gone without a farewell


client = threading.Thread(target=drive)
client.start()
while client.is_alive():
    session.run(0.1, pace=True)  # paced: the client lives by the wall clock
session.run(1.0)
there = session.position[0]
session.run(1.0)
print(f"the rover stands at x = {there:.2f} m; it moved {abs(session.position[0] - there):.3f} m in the last second")
server.stop()
session.close()
