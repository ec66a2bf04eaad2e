import time

import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
session.service("ALRobotPosture").goToPosture("StandInit", 0.8)
session.service("ALMotion").setAngles(["HeadYaw", "HeadPitch"], [0.0, 0.0], 0.3)
time.sleep(1.0)
ball = session.service("ALRedBallDetection")
memory = session.service("ALMemory")
ball.subscribe("finder", 200, 0.0)
value = []
for _ in range(100):
    value = memory.getData("redBallDetected")
    if value:
        break
    time.sleep(0.2)
ball.unsubscribe("finder")
print("ball", [round(v, 2) for v in value[1]], len(value))
