# -*- encoding: UTF-8 -*-
""" A module that hears an event of its own and answers with another one. """
import sys
import time
from optparse import OptionParser
from naoqi import ALProxy, ALBroker, ALModule

Listener = None
memory = None


class ListenerModule(ALModule):
    """ Hears MyApp/Ask. """

    def __init__(self, name):
        ALModule.__init__(self, name)
        self.heard = []
        global memory
        memory = ALProxy("ALMemory")
        memory.declareEvent("MyApp/Ask", name)
        memory.subscribeToEvent("MyApp/Ask", "Listener", "onAsk")
        memory.subscribeToMicroEvent("MyApp/Micro", "Listener", "a message", "onMicro")

    def onAsk(self, key, value, message):
        """ Called with the value. """
        memory.unsubscribeToEvent("MyApp/Ask", "Listener")
        self.heard.append((key, value[0] * 2))
        memory.raiseEvent("MyApp/Answer", value[0] * 2)
        memory.subscribeToEvent("MyApp/Ask", "Listener", "onAsk")

    def onMicro(self, *_args):
        """ Called with key, value, message. """
        self.heard.append(_args[1:])


def main():
    parser = OptionParser()
    parser.add_option("--pip", help="Parent broker ip", dest="pip")
    parser.add_option("--pport", help="Parent broker port", dest="pport", type="int")
    parser.set_defaults(pip="nao.local", pport=9559)
    (opts, args_) = parser.parse_args()
    broker = ALBroker("myBroker", "0.0.0.0", 0, opts.pip, opts.pport)
    global Listener
    Listener = ListenerModule("Listener")
    mem = ALProxy("ALMemory", opts.pip, opts.pport)
    mem.raiseEvent("MyApp/Ask", [21, "x"])
    time.sleep(0.5)
    mem.raiseMicroEvent("MyApp/Micro", 3)
    try:
        end = time.time() + 20
        while len(Listener.heard) < 2 and time.time() < end:
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass
    print "answer %d" % mem.getData("MyApp/Answer"), Listener.heard[0], len(Listener.heard)
    broker.shutdown()
    sys.exit(0)


if __name__ == "__main__":
    main()
