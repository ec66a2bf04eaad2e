import almath
from naoqi import ALProxy

m = ALProxy("ALMotion", "nao.local", 9559)
p = ALProxy("ALRobotPosture", "nao.local", 9559)
p.goToPosture("StandInit", 0.5)
m.moveInit()
initial = almath.Pose2D(m.getRobotPosition(False))
steps, legs, times = [], [], []
for i in range(4):
    legs.append(["LLeg", "RLeg"][i % 2])
    side = 0.095 if legs[-1] == "LLeg" else -0.095
    steps.append([0.03, side, 0.0])
    times.append(0.6 * (i + 1))
m.setFootSteps(legs, steps, times, False)
m.waitUntilMoveIsFinished()
final = almath.Pose2D(m.getRobotPosition(False))
moved = almath.pose2DInverse(initial) * final
print "moved", moved.x > 0.03, abs(almath.modulo2PI(moved.theta)) < 0.3
