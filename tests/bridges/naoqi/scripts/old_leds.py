from naoqi import ALProxy
leds = ALProxy("ALLeds", "nao.local", 9559)
leds.fadeRGB("FaceLeds", "blue", 0.2)
leds.post.fadeRGB("ChestLeds", 0x00FF8000, 0.3)
leds.fadeRGB("FaceLeds", 0x0000FF00, 0.4)
leds.off("EarLeds")
try:
    leds.fadeRGB("NoseLeds", 0xFF, 0.1)
except RuntimeError, e:
    print "no nose", "NoseLeds" in str(e)
