from naoqi import ALProxy
posture = ALProxy("ALRobotPosture", "nao.local", 9559)
names = posture.getPostureList()
print len(names) > 5 and "Crouch" in names
for name in ["Crouch", "StandZero", "StandInit", "Stand"]:
    print name, posture.goToPosture(name, 0.8), posture.getPosture()
print "family", posture.getPostureFamily(), posture.goToPosture("Handstand", 0.5)
