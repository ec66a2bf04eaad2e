import time
from naoqi import ALProxy
motionProxy = ALProxy("ALMotion", "nao.local", 9559)
motionProxy.moveToward(0.0, 0.0, 0.6, [["Frequency", 1.0], ["MaxStepTheta", 0.3], ["StepHeight", 0.02]])
time.sleep(3.0)
motionProxy.stopMove()
print motionProxy.getMoveConfig("Max")
