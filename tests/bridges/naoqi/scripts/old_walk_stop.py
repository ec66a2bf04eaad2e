import time
from naoqi import ALProxy
motion = ALProxy("ALMotion", "nao.local", 9559)
task = motion.post.moveTo(2.0, 0, 0)
time.sleep(2.5)
motion.stopMove()
print "stopped", motion.isRunning(task), motion.moveIsActive()
