import time

from naoqi import ALProxy

motionProxy = ALProxy("ALMotion", "nao.local", 9559)
motionProxy.setWalkArmsEnabled(True, True)
motionProxy.setMotionConfig([["ENABLE_FOOT_CONTACT_PROTECTION", True]])
X, Y, Theta, Frequency = 0.8, 0.0, 0.0, 1.0
motionProxy.setWalkTargetVelocity(X, Y, Theta, Frequency)
time.sleep(3.0)
motionProxy.setWalkTargetVelocity(0.0, 0.0, 0.0, Frequency)
motionProxy.waitUntilWalkIsFinished()
