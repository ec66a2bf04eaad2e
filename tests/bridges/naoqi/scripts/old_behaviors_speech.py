#!/usr/bin/python2.7
import naoqi
from naoqi import *
import threading, Queue, ConfigParser, urllib2, StringIO

session = ALProxy("ALBehaviorManager", "127.0.0.1", 9559)
names = session.getInstalledBehaviors()
print len(names) > 10
def getBehaviors(managerProxy):
    ''' Know which behaviors are on the robot '''
    names = managerProxy.getInstalledBehaviors()
    names = managerProxy.getRunningBehaviors()
    return names
def launchAndStopBehavior(managerProxy, behaviorName):
    if (managerProxy.isBehaviorInstalled(behaviorName)):
        if (not managerProxy.isBehaviorRunning(behaviorName)):
            managerProxy.post.runBehavior(behaviorName)
            time.sleep(1.0)
            print "running", managerProxy.isBehaviorRunning(behaviorName)
        else:
            print "Behavior is already running."
    else:
        print "Behavior not found."
        return
    names = managerProxy.getRunningBehaviors()
    managerProxy.stopBehavior(behaviorName)
    time.sleep(0.5)
    print "after", managerProxy.isBehaviorRunning(behaviorName)
import time
print getBehaviors(session)
launchAndStopBehavior(session, [n for n in names if "wave" in n.lower()][0])
speech = ALProxy("ALAnimatedSpeech", "127.0.0.1", 9559)
speech.say("Hello ^start(animations/Stand/Gestures/Hey_1) my friend ^wait(animations/Stand/Gestures/Hey_1)")
speech.say("now quiet", {"bodyLanguageMode": "disabled"})
q = Queue.Queue()
tts = ALProxy("ALTextToSpeech", "127.0.0.1", 9559)
tts.setParameter("speed", 120)
tts.setParameter("pitchShift", 1.1)
id = tts.post.say("\\rspd=80\\ This is a long sentence that takes a while \\pau=500\\ to be said")
print tts.wait(id, 300)
tts.stop(id) if hasattr(tts, "stop") else None
def worker():
    tts.say("from a thread")
    q.put(1)
t = threading.Thread(target=worker)
t.start(); t.join()
print q.get(), tts.getAvailableLanguages().__class__.__name__
asr = ALProxy("ALSpeechRecognition", "127.0.0.1", 9559)
asr.setLanguage("English")
asr.pause(True)
asr.setVocabulary(["yes", "no"], False)
asr.pause(False)
asr.subscribe("Test_ASR")
time.sleep(0.5)
asr.unsubscribe("Test_ASR")
life = ALProxy("ALAutonomousLife", "127.0.0.1", 9559)
if life.getState() != "disabled":
    life.setState("disabled")
print life.getState()
