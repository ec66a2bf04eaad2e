# -*- encoding: UTF-8 -*-
"""Walk with several foot gait configs, head in parallel."""
import sys
import time
import math
import almath
from naoqi import ALProxy

def StiffnessOn(proxy):
    pNames = "Body"
    pStiffnessLists = 1.0
    pTimeLists = 1.0
    proxy.stiffnessInterpolation(pNames, pStiffnessLists, pTimeLists)

def main(robotIP, PORT=9559):
    try:
        motionProxy = ALProxy("ALMotion", robotIP, PORT)
    except Exception, e:
        print "Could not create proxy to ALMotion"
        print "Error was: ", e
        sys.exit(1)
    try:
        postureProxy = ALProxy("ALRobotPosture", robotIP, PORT)
    except Exception, e:
        print "Could not create proxy to ALRobotPosture"
        print "Error was: ", e
    StiffnessOn(motionProxy)
    postureProxy.goToPosture("StandInit", 0.5)
    motionProxy.setWalkArmsEnabled(True, True)
    motionProxy.setMotionConfig([["ENABLE_FOOT_CONTACT_PROTECTION", True]])
    X = 0.5
    Y = 0.0
    Theta = 0.0
    Frequency = 0.0
    motionProxy.setWalkTargetVelocity(X, Y, Theta, Frequency, [["MaxStepX", 0.06], ["StepHeight", 0.015], ["TorsoWy", 0.05]])
    for i in range(3):
        names = ["HeadYaw", "HeadPitch"]
        motionProxy.setAngles(names, [math.sin(i) * 0.5, -0.1], 0.1)
        time.sleep(1.0)
    pos = almath.Pose2D(almath.vectorFloat(motionProxy.getRobotPosition(False)))
    velocity = motionProxy.getRobotVelocity()
    X = 0.0
    motionProxy.setWalkTargetVelocity(X, Y, Theta, Frequency)
    motionProxy.waitUntilWalkIsFinished()
    end = almath.Pose2D(almath.vectorFloat(motionProxy.getRobotPosition(False)))
    print "walked %.2f %.2f" % (end.x, end.y), len(velocity), motionProxy.walkIsActive()
    delta = almath.pose2DInverse(pos) * end
    print "rest of the way", delta.x < 0.2, "norm", end.norm() > 0.05
    config = motionProxy.getFootGaitConfig("Max")
    print dict((k, v) for k, v in config)["MaxStepX"]
    motionProxy.setStiffnesses("Head", 0.0)

if __name__ == "__main__":
    robotIp = "127.0.0.1"
    if len(sys.argv) <= 1:
        print "Usage python motion_walk.py robotIP (optional default: 127.0.0.1)"
    else:
        robotIp = sys.argv[1]
    main(robotIp)
