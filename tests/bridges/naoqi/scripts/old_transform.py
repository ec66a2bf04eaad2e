import almath
from naoqi import ALProxy
m = ALProxy("ALMotion", "nao.local", 9559)
tf = almath.Transform(m.getTransform("CameraTop", 2, True))
position = almath.position6DFromTransform(tf)
print "camera height", round(tf.r3_c4, 2), abs(position.z - tf.r3_c4) < 1e-9
ball = tf * almath.Transform_from3DRotation(0, 0, 0.5) * almath.Transform(0.5, 0.0, 0.0)
print "ball", round(ball.r1_c4 - tf.r1_c4, 2) < 0.5
