import time
from naoqi import ALProxy
motion = ALProxy("ALMotion", "nao", 9559)
motion.setStiffnesses("Head", 1.0)
missed = 0
for k in range(6):
    motion.setAngles("HeadYaw", -0.2, 0.3)
    motion.angleInterpolation("HeadYaw", 0.3, 0.4, True)
    time.sleep(0.1)
    missed += abs(motion.getAngles("HeadYaw", True)[0] - 0.3) > 0.05
print "missed", missed
