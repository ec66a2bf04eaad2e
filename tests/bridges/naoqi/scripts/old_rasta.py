import time
import random
from naoqi import ALProxy
leds = ALProxy("ALLeds", "nao.local", 9559)
leds.post.rasta(1.0)
time.sleep(0.2)
leds.post.randomEyes(0.5)
leds.createGroup("MyGroup", ["FaceLed0", "Face/Led/Red/Left/0Deg/Actuator/Value", "LeftFaceLedsRed"]) if "MyGroup" not in leds.listGroups() else None
ident = leds.post.rotateEyes(0x0000FF, 0.3, 0.6)
leds.wait(ident, 0)
leds.fadeListRGB("FaceLeds", [0x00FF0000, 0x0000FF00], [0.2, 0.4])
leds.fade("EarLeds", 0.5, 0.2)
leds.setIntensity("ChestLeds", 0.2)
for i in xrange(3):
    color = 256 * 256 * random.randint(0, 255) + 256 * random.randint(0, 255)
    leds.post.fadeRGB("FaceLeds", color, 0.1)
leds.fadeRGB("FaceLeds", "blue", 0.3)
leds.off("FeetLeds")
print "eyes", leds.getIntensity("ChestLeds")
leds.reset("ChestLeds")
