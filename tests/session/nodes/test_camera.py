"""Every camera has its own pictures, as large as VGA, at its rate."""

import io

import pytest
from PIL import Image

from andante.session import LiveSession


def test_both_cameras_of_a_nao_show_vga_at_their_rate(tmp_path):
    session = LiveSession("nao", "empty", folder=tmp_path)
    try:
        pictures, stages = {"CameraTop": [], "CameraBottom": []}, []
        session.progress.on(lambda words, since: stages.append(words))
        for name, heard in pictures.items():
            session.bus.subscribe(f"/camera/{name}/image_raw/compressed", None, heard.append)
        session.run(0.2)
        assert sorted(filter(None, stages)) == sorted(f"starting the camera {name}" for name in pictures)  # once each
        assert stages[-1] == ""
        for name, heard in pictures.items():
            assert len(heard) == pytest.approx(6, abs=1)  # 30 Hz
            assert heard[0].header.frame_id.startswith(name)
            assert Image.open(io.BytesIO(bytes(heard[0].data))).size == (640, 480)
    finally:
        session.close()
