import sys

import qi

session = qi.Session()
try:
    session.connect("tcp://192.168.1.12:9559")
except RuntimeError:
    sys.exit(1)
motion = session.service("ALMotion")
print(motion.getBodyNames("Head"), len(motion.getLimits("Body")), round(motion.getMass("Body"), 1))
print(motion.getSummary().count("Pitch") > 5, len(session.services()) > 30)
try:
    session.service("ALNothing")
except RuntimeError as error:
    print("refused", "ALNothing" in str(error))
try:
    motion.setAngles("HeadYaw", float("nan"), 0.1)
except RuntimeError as error:
    print("refused", "setAngles" in str(error))
