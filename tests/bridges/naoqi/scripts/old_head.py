# The head turns to both sides, with a fraction of its speed.
import time
from naoqi import ALProxy
import almath

motionProxy = ALProxy("ALMotion", "nao.local", 9559)
motionProxy.setStiffnesses("Head", 1.0)
for degrees in [-30, 30]:
    motionProxy.setAngles("HeadYaw", degrees * almath.TO_RAD, 0.2)
    time.sleep(1.2)
    print "at", motionProxy.getAngles("HeadYaw", True)
