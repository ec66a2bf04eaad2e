# A module of the program's own is called when the head is touched.
import sys, time
from naoqi import ALProxy, ALBroker, ALModule

ReactToTouch = None
memory = None

class ReactToTouchModule(ALModule):
    """ Says something when the head is touched """
    def __init__(self, name):
        ALModule.__init__(self, name)
        global memory
        memory = ALProxy("ALMemory")
        memory.subscribeToEvent("FrontTactilTouched", "ReactToTouch", "onTouched")
        self.count = 0

    def onTouched(self, strVarName, value):
        """ called by ALMemory """
        if value == 0.0:
            return
        memory.unsubscribeToEvent("FrontTactilTouched", "ReactToTouch")
        ALProxy("ALTextToSpeech").say("You touched my head")
        self.count += 1

myBroker = ALBroker("myBroker", "0.0.0.0", 0, "nao.local", 9559)
ReactToTouch = ReactToTouchModule("ReactToTouch")
print "ready"
for k in xrange(100):
    if ReactToTouch.count:
        break
    time.sleep(0.1)
print "count", ReactToTouch.count
myBroker.shutdown()
sys.exit(0)
