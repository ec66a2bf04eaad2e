# -*- encoding: UTF-8 -*-
"""Foot steps of a little dance, then moveTo with a gait config, then custom config left and right"""
import time
import math
import almath as m
from naoqi import ALProxy

motionProxy = ALProxy("ALMotion", "nao", 9559)
ALProxy("ALRobotPosture", "nao", 9559).goToPosture("StandInit", 0.5)
motionProxy.moveInit()
footStepsList = []
footStepsList.append([["LLeg"], [[0.06, 0.1, 0.0]]])
footStepsList.append([["LLeg", "RLeg"], [[0.04, 0.1, 0.1], [0.04, -0.1, 0.0]]])
footStepsList.append([["LLeg"], [[0.00, 0.12, 0.0]]])
stepFrequency = 0.8
clearExisting = False
for i in range(len(footStepsList)):
    motionProxy.setFootStepsWithSpeed(footStepsList[i][0], footStepsList[i][1], [stepFrequency] * len(footStepsList[i][1]), clearExisting)
motionProxy.waitUntilMoveIsFinished()
print "steps left", len(motionProxy.getFootSteps()[2])
a = motionProxy.getRobotPosition(True)
motionProxy.setFootSteps(["LLeg", "RLeg"], [[0.04, 0.1, 0.0], [0.04, -0.1, 0.0]], [0.6, 1.2], True)
motionProxy.waitUntilMoveIsFinished()
b = motionProxy.getRobotPosition(True)
print "ahead", math.hypot(b[0] - a[0], b[1] - a[1]) > 0.02
motionProxy.moveTo(0.15, 0.0, 0.0, [["MaxStepX", 0.02], ["MaxStepY", 0.16], ["MaxStepTheta", 0.4], ["MaxStepFrequency", 0.5], ["StepHeight", 0.01], ["TorsoWx", 0.0], ["TorsoWy", 0.0]])
c = motionProxy.getRobotPosition(True)
print "moved %.2f" % math.hypot(c[0] - b[0], c[1] - b[1])
motionProxy.moveToward(0.5, 0.0, 0.2, [["LeftMaxStepX", 0.05], ["RightMaxStepX", 0.05], ["LeftStepHeight", 0.02], ["RightStepHeight", 0.02], ["Frequency", 0.6]])
time.sleep(2)
motionProxy.stopMove()
d = motionProxy.getRobotPosition(True)
print "turned left", m.modulo2PI(d[2] - c[2]) > 0.05
try:
    motionProxy.moveTo(0.1, 0.0, 0.0, [["NoSuchKey", 0.02]])
    print "accepted"
except RuntimeError, err:
    print "refused"
