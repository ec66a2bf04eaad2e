# Choregraphe bezier export in Python, with try block of naoqi
from naoqi import ALProxy
names = list()
times = list()
keys = list()

names.append("HeadPitch")
times.append([0.8, 1.56, 2.24, 2.8])
keys.append([[0.29602, [3, -0.266667, 0], [3, 0.253333, 0]], [-0.170316, [3, -0.253333, 0.111996], [3, 0.226667, -0.100207]], [-0.340591, [3, -0.226667, 0], [3, 0.186667, 0]], [-0.0598679, [3, -0.186667, 0], [3, 0, 0]]])

names.append("RElbowRoll")
times.append([0.72, 1.48, 2.16, 2.72])
keys.append([[1.37902, [3, -0.24, 0], [3, 0.253333, 0]], [1.29005, [3, -0.253333, 0.0345436], [3, 0.226667, -0.0309074]], [1.18267, [3, -0.226667, 0], [3, 0.186667, 0]], [1.24863, [3, -0.186667, -0.0205524], [3, 0, 0]]])

names.append("RHand")
times.append([1.48, 2.72])
keys.append([[0.853478, [3, -0.493333, 0], [3, 0.413333, 0]], [0.1, [3, -0.413333, 0], [3, 0, 0]]])

names.append("RShoulderPitch")
times.append([0.72, 2.72])
keys.append([[-0.247016, [3, -0.24, 0], [3, 0.666667, 0]], [-1.17193, [3, -0.666667, 0], [3, 0, 0]]])

try:
  # uncomment the following line and modify the IP if you use this script outside Choregraphe.
  # motion = ALProxy("ALMotion", IP, 9559)
  motion = ALProxy("ALMotion", "127.0.0.1", 9559)
  motion.setStiffnesses("Body", 1.0)
  motion.angleInterpolationBezier(names, times, keys)
except BaseException, err:
  print err
motion = ALProxy("ALMotion", "127.0.0.1", 9559)
a = motion.getAngles(["RShoulderPitch", "RElbowRoll", "HeadPitch"], True)
print [abs(x - y) < 0.06 for x, y in zip(a, [-1.17193, 1.24863, -0.0598679])]
id = motion.post.openHand('RHand')
motion.post.openHand('LHand')
motion.wait(id, 0)
print motion.getAngles('RHand', True)[0] > 0.9
ids = motion.post.angleInterpolation(["HeadYaw", "HeadPitch"], [1.0, 0.3], [1.0, 1.2], True)
print "running", motion.isRunning(ids)
motion.wait(ids, 0)
print "pos", round(motion.getAngles("HeadYaw", True)[0], 1)
motion.changeAngles("HeadYaw", -0.5, 0.5)
motion.closeHand('RHand'); motion.closeHand('LHand')
print "changed", round(motion.getAngles("HeadYaw", False)[0], 1)
