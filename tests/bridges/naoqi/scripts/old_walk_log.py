# -*- coding: utf-8 -*-
# student program: look for landmark/ball with sonar guard while walking, writes log to csv
from naoqi import ALProxy
import time, csv, os, math, almath
robotIP = "192.168.1.143"
PORT = 9559
motion = ALProxy("ALMotion", robotIP, PORT)
memory = ALProxy("ALMemory", robotIP, PORT)
sonar = ALProxy("ALSonar", robotIP, PORT)
tts = ALProxy("ALTextToSpeech", robotIP, PORT)
landmark = ALProxy("ALLandMarkDetection", robotIP, PORT)
posture = ALProxy("ALRobotPosture", robotIP, PORT)
leds = ALProxy("ALLeds", robotIP, PORT)

tts.setLanguage("English")
tts.setVolume(0.8)
motion.setStiffnesses("Body", [1.0] * len(motion.getBodyNames("Body")))
posture.goToPosture("Stand", 0.6)
sonar.subscribe("myApplication")
landmark.subscribe("Test_LandMark", 500, 0.0)
out = open("sonars.csv", "wb")
log = csv.writer(out)
motion.move(0.05, 0.0, 0.0)
start = time.time()
try:
    while time.time() - start < 4.0:
        left = memory.getData("Device/SubDeviceList/US/Left/Sensor/Value")
        right = memory.getData("Device/SubDeviceList/US/Right/Sensor/Value")
        mark = memory.getData("LandmarkDetected", 0)
        log.writerow([time.time() - start, left, right])
        if mark and isinstance(mark, list) and len(mark) >= 2:
            tts.post.say("mark")
        if left < 0.4 or right < 0.4:
            motion.stopMove()
            print "something is near"
            break
        time.sleep(0.2)
finally:
    motion.stopMove()
    sonar.unsubscribe("myApplication")
    landmark.unsubscribe("Test_LandMark")
    out.close()
rows = list(csv.reader(open("sonars.csv", "rb")))
print len(rows) > 5, len(rows[0])
leds.post.fadeRGB("FaceLeds", 0x00FF0000, 0.3)
leds.rotateEyes(0x000000FF, 0.5, 1.0)
leds.fadeRGB("FaceLeds", 256 * 256 * 10 + 256 * 200 + 30, 0.1)
gyr = memory.getData("Device/SubDeviceList/InertialSensor/GyrX/Sensor/Value")
angle = memory.getListData(["Device/SubDeviceList/InertialSensor/AngleX/Sensor/Value", "Device/SubDeviceList/InertialSensor/AngleY/Sensor/Value"])
print type(gyr).__name__, len(angle), abs(angle[0]) < 0.3
fsr = [memory.getData("Device/SubDeviceList/%s/FSR/%s/Sensor/Value" % (f, s)) for f in ("LFoot", "RFoot") for s in ("FrontLeft", "FrontRight", "RearLeft", "RearRight")]
print "weight", 3.5 < sum(fsr) < 7.5
tts.say("I walked %d centimeters" % round(100 * motion.getRobotPosition(True)[0]))
