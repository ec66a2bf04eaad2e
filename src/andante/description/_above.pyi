from andante.kinematics import Chain as Chain
