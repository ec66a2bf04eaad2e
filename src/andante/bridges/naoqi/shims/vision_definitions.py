"""Numbers of ALVideoDevice by their old names."""

kQQQQVGA, kQQQVGA, kQQVGA, kQVGA, kVGA, k4VGA, k16VGA = 8, 7, 0, 1, 2, 3, 4
k720p, k1080p = 5, 6

kYuvColorSpace, kyUvColorSpace, kyuVColorSpace = 0, 1, 2
kRgbColorSpace, krGbColorSpace, krgBColorSpace = 3, 4, 5
kHsyColorSpace, khSyColorSpace, khsYColorSpace = 6, 7, 8
kYUV422ColorSpace, kYUV422InterlacedColorSpace = 9, 9
kYUVColorSpace, kRGBColorSpace, kHSYColorSpace, kHSVColorSpace, kBGRColorSpace = 10, 11, 12, 12, 13
kYYCbCrColorSpace, kH2RGBColorSpace, kHSMixedColorSpace = 14, 15, 16
kDepthColorSpace, kARGBColorSpace, kXYZColorSpace, kInfraredColorSpace = 17, 18, 19, 20
kDistanceColorSpace, kRawDepthColorSpace = 21, 23

kTopCamera, kBottomCamera, kDepthCamera = 0, 1, 2

kCameraBrightnessID, kCameraContrastID, kCameraSaturationID, kCameraHueID = 0, 1, 2, 3
kCameraRedChromaID, kCameraBlueChromaID, kCameraGainID = 4, 5, 6
kCameraHFlipID, kCameraVFlipID, kCameraLensXID, kCameraLensYID = 7, 8, 9, 10
kCameraAutoExpositionID, kCameraAutoWhiteBalanceID, kCameraAutoGainID = 11, 12, 13
kCameraResolutionID, kCameraFrameRateID, kCameraBufferSizeID, kCameraExposureID = 14, 15, 16, 17
kCameraSelectID, kCameraSetDefaultParamsID, kCameraColorSpaceID, kCameraExposureCorrectionID = 18, 19, 20, 21
kCameraAecAlgorithmID, kCameraFastSwitchID, kCameraSharpnessID = 22, 23, 24
kCameraAwbGreenGainID, kCameraAblcID, kCameraAblcTargetID, kCameraAblcStableRangeID = 25, 26, 27, 28
kCameraBlcBlueID, kCameraBlcRedID, kCameraBlcGbID, kCameraBlcGrID = 29, 30, 31, 32
kCameraWhiteBalanceID, kCameraBacklightCompensationID, kCameraKeepAliveID = 33, 34, 35
kFirstParam, kLastParam = 0, 35
