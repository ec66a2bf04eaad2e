import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
motion = session.service("ALMotion")
session.service("ALRobotPosture").goToPosture("StandInit", 0.8)
before = motion.getPosition("Torso", 2, False)[2]
motion.positionInterpolations(["Torso"], 2, [[[0.0, 0.0, -0.03, 0.0, 0.0, 0.0]]], [63], [[1.0]], False)
print("lower", round(before - motion.getPosition("Torso", 2, False)[2], 2))
