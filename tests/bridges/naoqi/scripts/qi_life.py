import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
life = session.service("ALAutonomousLife")
life.setState("disabled")
awareness = session.service("ALBasicAwareness")
awareness.setEngagementMode("FullyEngaged")
awareness.stopAwareness()
session.service("ALAutonomousMoves").setBackgroundStrategy("none")
motion = session.service("ALMotion")
motion.setBreathEnabled("Body", False)
print(life.getState(), awareness.isAwarenessRunning(), motion.getBreathEnabled("Body"))
print(session.service("ALBattery").getBatteryCharge(), session.service("ALSystem").robotName())
try:
    life.setState("asleep")
except RuntimeError as error:
    print("refused", "asleep" in str(error))
