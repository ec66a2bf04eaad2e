import qi

app = qi.Application()
app.start()
motion = app.session.service("ALMotion")
tts = app.session.service("ALTextToSpeech")
future = motion.moveTo(0.1, 0.0, 0.0, _async=True)
spoken = qi.async(tts.say, "On my way")
spoken.value()
print("reached", future.value())
