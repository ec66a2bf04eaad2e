#! /usr/bin/env python
# -*- encoding: UTF-8 -*-
"""A class with qi.Application, services and a finite little dialogue; qi style 2.x"""
import qi
import argparse
import sys
import time


class HumanGreeter(object):
    def __init__(self, app):
        super(HumanGreeter, self).__init__()
        app.start()
        session = app.session
        self.memory = session.service("ALMemory")
        self.subscriber = self.memory.subscriber("FaceDetected")
        self.subscriber.signal.connect(self.on_human_tracked)
        self.tts = session.service("ALTextToSpeech")
        self.face_detection = session.service("ALFaceDetection")
        self.face_detection.subscribe("HumanGreeter")
        self.got_face = False
        self.leds = session.service("ALLeds")
        self.motion = session.service("ALMotion")
        self.count = 0
        self.front = self.memory.subscriber("FrontTactilTouched")
        self.front_id = self.front.signal.connect(self.on_touch)

    def on_human_tracked(self, value):
        if value == []:
            self.got_face = False

    def on_touch(self, value):
        if value == 1.0:
            self.count += 1
            self.leds.fadeRGB("FaceLeds", "green", 0.2)
            self.front.signal.disconnect(self.front_id)

    def run(self):
        print("Starting HumanGreeter")
        self.motion.wakeUp()
        fut = self.motion.moveTo(0.1, 0, 0, _async=True)
        fut.addCallback(lambda f: sys.stdout.write("arrived %s\n" % f.value()))
        self.tts.say("Hello, you!")
        fut.wait()
        self.memory.raiseEvent("FrontTactilTouched", 1.0)
        t = time.time()
        while self.count == 0 and time.time() - t < 3:
            time.sleep(0.1)
        print("touches %d" % self.count)
        self.memory.raiseEvent("FrontTactilTouched", 1.0)
        time.sleep(0.3)
        print("touches %d" % self.count)
        self.face_detection.unsubscribe("HumanGreeter")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ip", type=str, default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9559)
    args = parser.parse_args()
    try:
        connection_url = "tcp://" + args.ip + ":" + str(args.port)
        app = qi.Application(["HumanGreeter", "--qi-url=" + connection_url])
    except RuntimeError:
        print("Can't connect to Naoqi at ip \"" + args.ip + "\"")
        sys.exit(1)
    human_greeter = HumanGreeter(app)
    human_greeter.run()
