import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
home = session.service("ALLocalization")
home.learnHome()
print("reached", session.service("ALNavigation").navigateTo(0.12, 0.0))
print("position", round(home.getRobotPosition()[0], 1))
