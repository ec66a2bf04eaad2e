from naoqi import ALProxy
m = ALProxy("ALMotion", "nao.local", 9559)
for call, given in (("setAngles", ["NoJoint", 0.0, 0.1]), ("setAngles", ["HeadYaw", 0.0]), ("angleInterpolation", [["HeadYaw", "HeadPitch"], [0.1], [1.0], True]),
                    ("angleInterpolation", ["HeadYaw", [0.1, 0.2], [1.0, 0.5], True]), ("noMethod", []), ("setStiffnesses", ["Body", 2.0])):
    try:
        getattr(m, call)(*given)
        print "accepted", call
    except RuntimeError, e:
        print "refused", str(e).startswith("ALMotion::" + call)
try:
    ALProxy("ALNothing", "nao.local", 9559)
except RuntimeError, e:
    print "refused", "ALNothing" in str(e)
