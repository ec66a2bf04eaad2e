from naoqi import ALProxy
proxy = ALProxy("ALMotion", "127.0.0.1", 9559)
proxy.angleInterpolationWithSpeed("LArm", [0.9, 0.4, -0.9, -0.8, 0.1, 0.6], 0.3)
print proxy.getAngles("LArm", True)
