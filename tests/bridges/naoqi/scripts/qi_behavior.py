import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
manager = session.service("ALBehaviorManager")
if manager.isBehaviorInstalled("wave_hand"):
    manager.runBehavior("wave_hand")
print(manager.isBehaviorRunning("wave_hand"), manager.isBehaviorInstalled("moonwalk"))
try:
    manager.runBehavior("moonwalk")
except RuntimeError as error:
    print("refused", "moonwalk" in str(error))
session.service("ALAnimatedSpeech").say(
    "^start(animations/Stand/Gestures/Hey_1) Hey there ^wait(animations/Stand/Gestures/Hey_1)"
)
