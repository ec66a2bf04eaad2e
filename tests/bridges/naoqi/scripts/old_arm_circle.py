'''Cartesian control: arms, a path relative to the torso.'''
import sys
import motion
import almath
from naoqi import ALProxy


def main(robotIP):
    try:
        motionProxy = ALProxy("ALMotion", robotIP, 9559)
        postureProxy = ALProxy("ALRobotPosture", robotIP, 9559)
    except Exception, e:
        print "Could not create proxy"
        print "Error was: ", e
        sys.exit(1)
    motionProxy.setStiffnesses("Body", 1.0)
    postureProxy.goToPosture("StandInit", 0.5)
    effectorList = ["LArm", "RArm"]
    space = motion.FRAME_ROBOT
    axisMaskList = [almath.AXIS_MASK_VEL] * 2
    pathList = []
    before = {}
    for effector, dy in zip(effectorList, (-0.03, +0.03)):
        current = motionProxy.getPosition(effector, space, False)
        before[effector] = current
        targetPos = almath.Position6D(current)
        targetPos.y += dy
        pathList.append([list(targetPos.toVector()), current])
    timesList = [[1.0, 2.0]] * 2
    motionProxy.positionInterpolations(effectorList, space, pathList, axisMaskList, timesList)
    for effector in effectorList:
        after = motionProxy.getPosition(effector, space, False)
        print effector, "back", max([abs(a - b) for a, b in zip(after[:3], before[effector][:3])]) < 0.01
    dz = 0.04
    motionProxy.changePosition("RArm", space, [0.0, 0.0, dz, 0.0, 0.0, 0.0], 0.5, 7)
    import time
    time.sleep(1.5)
    print "up", motionProxy.getPosition("RArm", space, False)[2] - before["RArm"][2] > 0.02


if __name__ == "__main__":
    main(len(sys.argv) > 1 and sys.argv[1] or "127.0.0.1")
