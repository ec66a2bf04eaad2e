# -*- encoding: UTF-8 -*-
''' Walk: move a little ahead '''
import sys
from naoqi import ALProxy
import almath

def main(robotIP, PORT=9559):
    motionProxy  = ALProxy("ALMotion", robotIP, PORT)
    postureProxy = ALProxy("ALRobotPosture", robotIP, PORT)
    motionProxy.wakeUp()
    postureProxy.goToPosture("StandInit", 0.5)
    initRobotPosition = almath.Pose2D(motionProxy.getRobotPosition(False))
    motionProxy.moveTo(0.15, 0.0, 0.0)
    endRobotPosition = almath.Pose2D(motionProxy.getRobotPosition(False))
    robotMove = almath.pose2DInverse(initRobotPosition) * endRobotPosition
    robotMove.theta = almath.modulo2PI(robotMove.theta)
    print "Robot Move:", robotMove

if __name__ == "__main__":
    main("10.0.0.7" if len(sys.argv) < 2 else sys.argv[1])
