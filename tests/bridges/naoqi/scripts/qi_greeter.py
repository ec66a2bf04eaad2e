#! /usr/bin/env python
# -*- encoding: UTF-8 -*-
"""Example: a class of an application with signals, a periodic task and several services"""
import argparse
import sys
import time

import qi


class Greeter(object):
    def __init__(self, app):
        super(Greeter, self).__init__()
        app.start()
        session = app.session
        self.memory = session.service("ALMemory")
        self.subscriber = self.memory.subscriber("Greeter/Hello")
        self.link = self.subscriber.signal.connect(self.on_hello)
        self.tts = session.service("ALTextToSpeech")
        self.life = session.service("ALAutonomousLife")
        self.awareness = session.service("ALBasicAwareness")
        self.motion = session.service("ALMotion")
        self.count = 0
        self.ticks = 0
        self.task = qi.PeriodicTask()
        self.task.setCallback(self.tick)
        self.task.setUsPeriod(100000)

    def tick(self):
        self.ticks += 1

    def on_hello(self, value):
        if value == []:
            return
        self.count += 1
        if self.count == 2:
            self.subscriber.signal.disconnect(self.link)
        self.tts.say("Hello " + str(value))

    def run(self):
        if self.life.getState() != "disabled":
            self.life.setState("disabled")
        self.awareness.setEnabled(False)
        self.motion.wakeUp()
        self.task.start(True)
        future = self.motion.angleInterpolationWithSpeed("Head", [-0.2, 0.1], 0.2, _async=True)
        for name in ("Ada", "Grace", "nobody"):
            self.memory.raiseEvent("Greeter/Hello", name)
            time.sleep(1.0)
        future.wait(20000)
        self.task.stop()
        print("count %d ticks %s robot %s" % (self.count, self.ticks > 3, self.motion.robotIsWakeUp()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ip", type=str, default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9559)
    args = parser.parse_args()
    try:
        connection_url = "tcp://" + args.ip + ":" + str(args.port)
        app = qi.Application(["Greeter", "--qi-url=" + connection_url])
    except RuntimeError:
        print("Can't connect to Naoqi at ip \"" + args.ip + "\"")
        sys.exit(1)
    Greeter(app).run()
