import time
from naoqi import ALProxy
sonarProxy = ALProxy("ALSonar", "nao.local", 9559)
memoryProxy = ALProxy("ALMemory", "nao.local", 9559)
sonarProxy.subscribe("myApplication")
time.sleep(0.3)
left = memoryProxy.getData("Device/SubDeviceList/US/Left/Sensor/Value")
right = memoryProxy.getData("Device/SubDeviceList/US/Right/Sensor/Value")
sonarProxy.unsubscribe("myApplication")
print "far", left > 0.2, right > 0.2
