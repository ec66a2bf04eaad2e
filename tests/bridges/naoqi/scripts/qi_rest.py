import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
motion = session.service("ALMotion")
motion.rest()
print("asleep", motion.robotIsWakeUp(), session.service("ALRobotPosture").getPosture())
motion.setAngles("HeadYaw", 1.0, 0.5)
motion.wakeUp()
print("awake", motion.robotIsWakeUp())
