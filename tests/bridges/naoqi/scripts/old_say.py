from naoqi import ALProxy
tts = ALProxy("ALTextToSpeech", "nao.local", 9559)
tts.setLanguage("English")
tts.setVolume(0.5)
tts.setParameter("speed", 120)
tts.say("\\rspd=110\\Hello, \\pau=200\\ world!")
print tts.getLanguage(), tts.getVolume()
tts.setParameter("speed", 100)
