from naoqi import ALProxy
posture = ALProxy("ALRobotPosture", "nao.local", 9559)
tts = ALProxy("ALTextToSpeech", "nao.local", 9559)
print posture.goToPosture("SitRelax", 0.8), posture.getPostureFamily()
tts.say("I sit")
print posture.goToPosture("Stand", 0.8), posture.getPostureFamily()
