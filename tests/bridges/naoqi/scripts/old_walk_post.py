from naoqi import ALProxy
IP = "nao.local"
motion = ALProxy("ALMotion", IP, 9559)
tts = ALProxy("ALTextToSpeech", IP, 9559)
motion.moveInit()
id = motion.post.moveTo(0.1, 0, 0)
tts.say("I am walking")
print "running", motion.isRunning(id)
motion.wait(id, 0)
print "walks", motion.walkIsActive()
