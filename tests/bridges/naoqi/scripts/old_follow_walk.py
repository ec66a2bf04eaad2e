# Walk as long as nothing is near, as most sonar demos do.
import time
import sys
from naoqi import ALProxy

IP = "nao.local"
try:
    motionProxy = ALProxy("ALMotion", IP, 9559)
    memoryProxy = ALProxy("ALMemory", IP, 9559)
    sonarProxy = ALProxy("ALSonar", IP, 9559)
    speechProxy = ALProxy("ALTextToSpeech", IP, 9559)
except RuntimeError, e:
    sys.exit("no robot: " + `e`)
motionProxy.setStiffnesses("Body", 1.0)
motionProxy.setWalkArmsEnabled(True, True)
motionProxy.setMotionConfig([["ENABLE_FOOT_CONTACT_PROTECTION", True]])
motionProxy.walkInit()
sonarProxy.subscribe("SonarWalk", 200, 0.02)
start = motionProxy.getRobotPosition(False)
motionProxy.setWalkTargetVelocity(0.8, 0.0, 0.0, 0.6, [["MaxStepX", 0.05], ["StepHeight", 0.015], ["TorsoWy", 0.01]])
begin, far = time.time(), 0.0
while far < 0.1 and time.time() - begin < 60:
    left = memoryProxy.getData("Device/SubDeviceList/US/Left/Sensor/Value", 0)
    right = memoryProxy.getData("Device/SubDeviceList/US/Right/Sensor/Value", 0)
    if min(left, right) < 0.3:
        motionProxy.setWalkTargetVelocity(0, 0, 0.5, 0.6)
    here = motionProxy.getRobotPosition(False)
    far = ((here[0] - start[0]) ** 2 + (here[1] - start[1]) ** 2) ** 0.5
    time.sleep(0.1)
motionProxy.setWalkTargetVelocity(0.0, 0.0, 0.0, 0.0)
motionProxy.waitUntilWalkIsFinished()
sonarProxy.unsubscribe("SonarWalk")
print "walking", motionProxy.walkIsActive()
speechProxy.post.say("Done")
