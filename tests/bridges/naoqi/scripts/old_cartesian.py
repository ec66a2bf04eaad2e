import motion
from naoqi import ALProxy
motionProxy = ALProxy("ALMotion", "nao.local", 9559)
motionProxy.angleInterpolationWithSpeed("RArm", [1.0, -0.3, 1.0, 0.9, 0.0, 0.3], 0.3)
effector, space, axisMask = "RArm", motion.FRAME_TORSO, motion.AXIS_MASK_VEL
before = motionProxy.getPosition(effector, space, False)
path = [[0.0, -0.02, 0.06, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]][:1]
motionProxy.positionInterpolation(effector, space, path, axisMask, [1.0], False)
after = motionProxy.getPosition(effector, space, False)
print "moved", [round(after[k] - before[k], 3) for k in range(3)]
