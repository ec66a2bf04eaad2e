# -*- encoding: UTF-8 -*-
"""Example: Whole Body Motion - multiple effectors control + kick like sequence"""
import sys
import almath
from naoqi import ALProxy

motionProxy = ALProxy("ALMotion", "127.0.0.1", 9559)
postureProxy = ALProxy("ALRobotPosture", "127.0.0.1", 9559)
motionProxy.wakeUp()
postureProxy.goToPosture("StandInit", 0.5)
isEnabled = True
motionProxy.wbEnable(isEnabled)
stateName = "Fixed"
supportLeg = "Legs"
motionProxy.wbFootState(stateName, supportLeg)
isEnable = True
motionProxy.wbEnableBalanceConstraint(isEnable, supportLeg)
supportLeg = "LLeg"
duration = 2.0
motionProxy.wbGoToBalance(supportLeg, duration)
com = motionProxy.getCOM("Body", 2, True)
lf = motionProxy.getPosition("LLeg", 2, True)
print "over the left foot", abs(com[1] - lf[1]) < 0.03
effectorName = "Head"
motionProxy.wbEnableEffectorControl(effectorName, True)
motionProxy.wbSetEffectorControl(effectorName, [0.0, 0.1, 0.3])
import time
time.sleep(1.5)
motionProxy.wbEnableEffectorControl(effectorName, False)
motionProxy.wbGoToBalance("Legs", 2.0)
motionProxy.wbEnableEffectorControl("LArm", True)
for z in (0.35, 0.40):
    motionProxy.wbSetEffectorControl("LArm", [0.15, 0.12, z])
    time.sleep(1.0)
p = motionProxy.getPosition("LArm", 2, True)
print "hand %s" % ["%.2f" % v for v in p[:3]], abs(p[2] - 0.40) < 0.05
motionProxy.wbEnableEffectorControl("LArm", False)
motionProxy.wbEnable(False)
motionProxy.wbEnable(True)
postureProxy.goToPosture("StandInit", 0.5)
print postureProxy.getPosture(), postureProxy.getPostureFamily()
