# -*- encoding: UTF-8 -*-
""" Reaction to a touched head with an ALModule; says and raises an event of its own """
import sys
import time
from optparse import OptionParser
from naoqi import ALProxy
from naoqi import ALBroker
from naoqi import ALModule

NAO_IP = "nao.local"
ReactToTouch = None
memory = None

class ReactToTouchModule(ALModule):
    """ A simple module able to react to touch events """
    def __init__(self, name):
        ALModule.__init__(self, name)
        self.tts = ALProxy("ALTextToSpeech")
        global memory
        memory = ALProxy("ALMemory")
        self.touched_parts = []
        memory.subscribeToEvent("TouchChanged", "ReactToTouch", "onTouched")
        memory.subscribeToEvent("MyGame/Finished", "ReactToTouch", "onFinished")
        self.finished = False

    def onTouched(self, strVarName, value):
        """ This will be called each time a touch is detected. """
        memory.unsubscribeToEvent("TouchChanged", "ReactToTouch")
        for p in value:
            if p[1]:
                self.touched_parts.append(p[0])
        self.say(self.touched_parts)
        memory.subscribeToEvent("TouchChanged", "ReactToTouch", "onTouched")

    def onFinished(self, key, value, message):
        "called when the game is over"
        print "finished", key, value
        self.finished = True

    def say(self, bodies):
        if bodies == []:
            return
        sentence = "My " + bodies[0]
        for b in bodies[1:]:
            sentence = sentence + " and my " + b
        sentence = sentence + " " + ("is" if len(bodies) == 1 else "are") + " touched."
        self.tts.say(sentence)

def main():
    parser = OptionParser()
    parser.add_option("--pip", help="Parent broker port.", dest="pip")
    parser.add_option("--pport", help="parent port", dest="pport", type="int")
    parser.set_defaults(pip=NAO_IP, pport=9559)
    (opts, args_) = parser.parse_args()
    pip = opts.pip
    pport = opts.pport
    myBroker = ALBroker("myBroker", "0.0.0.0", 0, pip, pport)
    global ReactToTouch
    ReactToTouch = ReactToTouchModule("ReactToTouch")
    m2 = ALProxy("ALMemory", pip, pport)
    m2.raiseEvent("TouchChanged", [["Head", True, []], ["LArm", False, []]])
    time.sleep(2.5)
    m2.raiseEvent("MyGame/Finished", 3)
    try:
        n = 0
        while not ReactToTouch.finished and n < 30:
            time.sleep(0.1)
            n += 1
    except KeyboardInterrupt:
        print "Interrupted by user, shutting down"
    print "parts", ReactToTouch.touched_parts
    myBroker.shutdown()
    sys.exit(0)

if __name__ == "__main__":
    main()
