from naoqi import ALProxy
memory = ALProxy("ALMemory", "nao.local", 9559)
base = "Device/SubDeviceList/"
weight = sum(memory.getListData([base + f + "Foot/FSR/TotalWeight/Sensor/Value" for f in "LR"]))
acc = memory.getData(base + "InertialSensor/AccZ/Sensor/Value")
angles = memory.getListData([base + "InertialSensor/Angle%s/Sensor/Value" % a for a in "XY"])
print "weight", round(weight), "down", acc < -40, "upright", max(map(abs, angles)) < 0.2
print "head", memory.getData(base + "HeadYaw/Position/Sensor/Value") == memory.getData(base + "HeadYaw/Position/Sensor/Value")
