from naoqi import ALProxy

m = ALProxy("ALMotion", "nao.local", 9559)
m.moveTo([[0.08, 0.0, 0.0], [0.08, 0.06, 0.0]], [["MaxStepX", 0.03]])
