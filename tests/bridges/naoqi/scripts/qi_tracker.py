import time

import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
session.service("ALRobotPosture").goToPosture("StandInit", 0.8)
tracker = session.service("ALTracker")
tracker.registerTarget("RedBall", 0.16)
tracker.setMode("Head")
tracker.track("RedBall")
for _ in range(60):
    time.sleep(0.2)
    if not tracker.isTargetLost() and tracker.getTargetPosition(2):
        break
time.sleep(3.0)
print("target", [round(v, 1) for v in tracker.getTargetPosition(2)])
tracker.stopTracker()
tracker.unregisterAllTargets()
