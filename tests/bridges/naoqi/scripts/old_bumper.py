# Polls a bumper in the memory.
import time
from naoqi import ALProxy
memory = ALProxy("ALMemory", "nao.local", 9559)
print "ready"
key = "Device/SubDeviceList/LFoot/Bumper/Left/Sensor/Value"
for k in range(100):
    if memory.getData(key) > 0.5:
        print "hit", memory.getData("LeftBumperPressed") >= 0.0
        break
    time.sleep(0.05)
