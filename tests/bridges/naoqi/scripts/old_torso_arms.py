# -*- encoding: UTF-8 -*-
'''Cartesian control: Torso and arms trajectories'''
import sys
import motion
import almath
from naoqi import ALProxy

def main(robotIP):
    motionProxy = ALProxy("ALMotion", robotIP, 9559)
    postureProxy = ALProxy("ALRobotPosture", robotIP, 9559)
    motionProxy.wakeUp()
    postureProxy.goToPosture("StandInit", 0.8)
    useSensorValues = False
    frame = motion.FRAME_ROBOT
    effectorList = ["LArm", "RArm"]
    axisMaskList = [motion.AXIS_MASK_VEL, motion.AXIS_MASK_VEL]
    timeList = [[1.5], [1.5]]
    pathList = []
    for e in effectorList:
        initTf = almath.Transform(motionProxy.getTransform(e, frame, useSensorValues))
        targetTf = almath.Transform(initTf)
        targetTf.r1_c4 += 0.04
        targetTf.r3_c4 += 0.05
        pathList.append([list(targetTf.toVector())])
    motionProxy.transformInterpolations(effectorList, frame, pathList, axisMaskList, timeList)
    for e, p in zip(effectorList, pathList):
        now = almath.Transform(motionProxy.getTransform(e, frame, useSensorValues))
        want = almath.Transform(p[0])
        print e, "err %.3f" % now.distance(want), now.distance(want) < 0.15
    # torso
    effector = "Torso"
    initTf = motionProxy.getTransform("Torso", frame, useSensorValues)
    target = almath.Transform(initTf) * almath.Transform(0.0, 0.0, -0.03)
    isAbsolute = True
    motionProxy.transformInterpolations("Torso", frame, [list(target.toVector())], almath.AXIS_MASK_ALL, [2.0])
    after = motionProxy.getTransform("Torso", frame, True)
    print "torso down", initTf[11] - after[11] > 0.015
    dx = 0.03
    motionProxy.positionInterpolation("LArm", motion.FRAME_TORSO, [[0.0, 0.02, 0.03, 0.0, 0.0, 0.0]], 7, [1.0], False)
    motionProxy.rest()
    print motionProxy.robotIsWakeUp()

if __name__ == "__main__":
    main("127.0.0.1")
