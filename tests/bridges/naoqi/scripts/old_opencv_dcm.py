# -*- coding: utf-8 -*-
import cv2, sys, time
import numpy as np
import motion as mot
from naoqi import ALProxy, ALBroker
import vision_definitions as vd
broker = ALBroker("pythonBroker", "0.0.0.0", 0, "127.0.0.1", 9559)
video = ALProxy("ALVideoDevice")
motion = ALProxy("ALMotion")
memory = ALProxy("ALMemory")
dcm = ALProxy("DCM")
sub = video.subscribeCamera("cv", 0, vd.kVGA, vd.kBGRColorSpace, 15)
frames = []
motion.setStiffnesses("Head", 1.0)
for k in range(3):
    data = video.getImageRemote(sub)
    if data == None:
        print "no image"
        continue
    w, h = data[0], data[1]
    img = np.fromstring(data[6], np.uint8).reshape(h, w, 3)
    hsv = cv2.cvtColor(img, cv2.COLOR_BGR2HSV)
    mask = cv2.inRange(hsv, np.array([0, 80, 50]), np.array([12, 255, 255]))
    M = cv2.moments(mask)
    frames.append(img)
    u, v = (M["m10"] / M["m00"] / w, M["m01"] / M["m00"] / h) if M["m00"] > 0 else (0.5, 0.5)
    yaw, pitch = video.getAngularPositionFromImagePosition(0, [u, v])
    motion.changeAngles(["HeadYaw", "HeadPitch"], [0.3 * yaw, 0.3 * pitch], 0.1)
    cv2.imwrite("frame%d.jpg" % k, img)
video.unsubscribe(sub)
print [f.shape for f in frames]
t = dcm.getTime(0)
dcm.createAlias(["HeadYawAlias", ["HeadYaw/Position/Actuator/Value"]])
dcm.set(["HeadYawAlias", "ClearAll", [[0.3, dcm.getTime(500)], [-0.3, dcm.getTime(1500)]]])
time.sleep(2.2)
print "yaw %.1f" % memory.getData("Device/SubDeviceList/HeadYaw/Position/Sensor/Value")
for n in motion.getBodyNames("LArm"):
    print n, "%d" % motion.getStiffnesses(n)[0],
print
print motion.getSummary().splitlines()[1].split()[0], motion.getMoveArmsEnabled("Arms")
T = motion.getTransform("CameraTop", mot.FRAME_ROBOT, True)
print len(T), T[11] > 0.3
print motion.getTaskList(), motion.areResourcesAvailable(["HeadYaw"])
print motion.getJointNames("Head"), mot.TO_RAD * 180 > 3.14
img, = frames[:1]
print img.dtype, int(img.mean()) in range(10, 245)
broker.shutdown()
