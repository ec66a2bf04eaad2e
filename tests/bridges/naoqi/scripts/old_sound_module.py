# -*- coding: utf-8 -*-
"""Listens to the microphones and films what the camera sees."""
import os
import struct
import time
from naoqi import ALBroker, ALModule, ALProxy

class SoundReceiverModule(ALModule):
    """ Sound of all four channels """
    def __init__(self, name):
        ALModule.__init__(self, name)
        self.BIND_PYTHON(self.getName(), "processRemote")
        self.samples = 0
        self.loudest = 0

    def start(self):
        audio = ALProxy("ALAudioDevice")
        audio.setClientPreferences(self.getName(), 48000, 0, 0)
        audio.subscribe(self.getName())

    def stop(self):
        ALProxy("ALAudioDevice").unsubscribe(self.getName())

    def processRemote(self, nbOfChannels, nbrOfSamplesByChannel, aTimeStamp, buffer):
        """ This is THE method that receives all the sound buffers """
        values = struct.unpack("<%dh" % (nbOfChannels * nbrOfSamplesByChannel), buffer)
        self.samples += nbrOfSamplesByChannel
        self.loudest = max(self.loudest, max(values))

broker = ALBroker("pythonBroker", "0.0.0.0", 0, "nao.local", 9559)
SoundReceiver = SoundReceiverModule("SoundReceiver")
SoundReceiver.start()
recorder = ALProxy("ALVideoRecorder")
recorder.setResolution(0)
recorder.setFrameRate(10)
recorder.setVideoFormat("MJPG")
recorder.startRecording("/home/nao/recordings/cameras", "test")
time.sleep(2.0)
info = recorder.stopRecording()
SoundReceiver.stop()
print "film", 5 < info[0] < 60, os.path.getsize(info[1]) > 1000
print "heard", SoundReceiver.samples > 20000, SoundReceiver.loudest
motion = ALProxy("ALMotion")
polygon = motion.getSupportPolygon(2, True)
print "stands on", len(polygon) > 5, max(p[0] for p in polygon) > 0.05, max(abs(p[1]) for p in polygon) < 0.2
print "smart", motion.getSmartStiffnessEnabled(), motion.isCollision("LArm")
broker.shutdown()
