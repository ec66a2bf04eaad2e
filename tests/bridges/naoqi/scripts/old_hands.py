from naoqi import ALProxy
m = ALProxy("ALMotion", "nao.local", 9559)
m.openHand("LHand")
print "open", round(m.getAngles("LHand", True)[0], 1)
m.closeHand("LHand")
print "closed", abs(round(m.getAngles("LHand", True)[0], 1))
