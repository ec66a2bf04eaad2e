# Gets an image and shows it with the Python Image Library, as the documentation of 1.14 does.
import sys, time
import Image
from naoqi import ALProxy

camProxy = ALProxy("ALVideoDevice", "nao.local", 9559)
resolution = 1    # QVGA
colorSpace = 11   # RGB
videoClient = camProxy.subscribe("python_client", resolution, colorSpace, 5)
naoImage = camProxy.getImageRemote(videoClient)
camProxy.unsubscribe(videoClient)
imageWidth, imageHeight, array = naoImage[0], naoImage[1], naoImage[6]
im = Image.fromstring("RGB", (imageWidth, imageHeight), array)
im.save("camImage.png", "PNG")
print imageWidth, imageHeight, len(array), len(naoImage)
