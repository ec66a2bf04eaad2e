import math

from naoqi import ALProxy

m = ALProxy("ALMotion", "nao.local", 9559)
m.walkInit()
m.walkTo(0, 0, math.pi / 4)
