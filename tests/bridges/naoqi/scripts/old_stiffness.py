# Arms limp and stiff again.
from naoqi import ALProxy
m = ALProxy("ALMotion", "127.0.0.1", 9559)
m.stiffnessInterpolation("LArm", 0.0, 0.3)
print "limp", m.getStiffnesses("LArm")
m.setStiffnesses("LArm", 0.6)
print "stiff", sum(m.getStiffnesses("LArm"))
