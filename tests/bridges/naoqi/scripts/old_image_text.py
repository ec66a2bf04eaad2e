"""Get an image. Display it and save it using PIL."""
import sys
import time
from PIL import Image
from naoqi import ALProxy
import vision_definitions

def showNaoImage(IP, PORT):
    camProxy = ALProxy("ALVideoDevice", IP, PORT)
    resolution = vision_definitions.kQVGA
    colorSpace = vision_definitions.kRGBColorSpace
    videoClient = camProxy.subscribe("python_client", resolution, colorSpace, 5)
    camProxy.setParam(vision_definitions.kCameraSelectID, 1)
    naoImage = camProxy.getImageRemote(videoClient)
    camProxy.releaseImage(videoClient)
    camProxy.unsubscribe(videoClient)
    imageWidth = naoImage[0]
    imageHeight = naoImage[1]
    array = naoImage[6]
    im = Image.fromstring("RGB", (imageWidth, imageHeight), array)
    im.save("camImage.png", "PNG")
    im2 = Image.open("camImage.png")
    print im2.size, im2.mode, len(im2.getcolors(100000)) > 20
    image_string = str(bytearray(array))
    im3 = Image.frombytes("RGB", (imageWidth, imageHeight), image_string)
    print im3.getpixel((10, 10)) == im2.getpixel((10, 10))
    print vision_definitions.kVGA, vision_definitions.kBGRColorSpace

if __name__ == '__main__':
    IP = "nao.local"
    PORT = 9559
    if len(sys.argv) > 1:
        IP = sys.argv[1]
    naoImage = showNaoImage(IP, PORT)
