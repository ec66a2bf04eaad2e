import time

import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
motion = session.service("ALMotion")
walk = motion.moveTo(3.0, 0.0, 0.0, _async=True)
time.sleep(2.0)
walk.cancel()
print("value", walk.value())
motion.waitUntilMoveIsFinished()
