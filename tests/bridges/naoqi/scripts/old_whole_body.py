from naoqi import ALProxy
import time, math
proxy = ALProxy("ALMotion", "nao.local", 9559)
ALProxy("ALRobotPosture", "nao.local", 9559).goToPosture("StandInit", 0.5)
proxy.wbEnable(True)
proxy.wbFootState("Fixed", "Legs")
proxy.wbEnableBalanceConstraint(True, "Legs")
effectorName = "Head"
proxy.wbEnableEffectorControl(effectorName, True)
for targetCoordinate in [[+20.0, 0.0, 0.0], [0.0, +20.0, 0.0], [0.0, 0.0, +30.0]]:
    targetCoordinate = [target * math.pi / 180.0 for target in targetCoordinate]
    proxy.wbSetEffectorControl(effectorName, targetCoordinate)
    time.sleep(1.0)
time.sleep(1.0)
print "yaw", round(proxy.getAngles("HeadYaw", True)[0], 1)
proxy.wbEnableEffectorControl(effectorName, False)
print "balance", proxy.wbGoToBalance("Legs", 1.0)
proxy.wbEnable(False)
proxy.wbEnable(True)
