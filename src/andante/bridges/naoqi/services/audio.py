"""ALAudioPlayer, ALAudioDevice and ALAudioRecorder: sound that takes its time; nothing is heard."""

from __future__ import annotations

import itertools
import threading
import wave
from pathlib import Path
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method

from .memory import Memory

USUAL = 2.0  # length of a file that cannot be read [s]
LONGEST = 600.0  # [s]
RATE = 16000  # [Hz]
BUFFER = 0.17  # of sound that a module gets at a time [s]
ALL_CHANNELS = 0  # all four microphones
MICROPHONES = 4


def write_silence(path: Path, seconds: float, rate: int = RATE, channels: int = 1) -> None:
    """A WAV file without a sound."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bytes(2 * channels * round(min(seconds, LONGEST) * rate)))


def length_of(path: Path) -> float:
    """How long a file sounds [s]; a usual length where it is no WAV file of this machine."""
    try:
        with wave.open(str(path), "rb") as file:
            return min(LONGEST, file.getnframes() / float(file.getframerate() or 1))
    except (OSError, EOFError, wave.Error):
        return USUAL


class AudioPlayer(Service):
    """Plays files: a call takes as long as the file."""

    name = "ALAudioPlayer"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._numbers = itertools.count(1)
        self._files: dict[int, str] = {}
        self._playing: dict[int, float] = {}  # number -> when it began [s]
        self._volume, self._master = 1.0, 0.7

    def _length(self, number: int) -> float:
        return length_of(self.robot.existing(self._files[number]))

    def _play(self, number: int, start: float = 0.0, loop: bool = False) -> None:
        if number not in self._files:
            raise CallError(f"no file has the number {number}")
        self.robot.say(f"plays {self._files[number]}")
        self._playing[number] = self.link.now - start
        left = LONGEST if loop else max(0.0, self._length(number) - start)
        self.link.wait_until(lambda: number not in self._playing, left)
        self._playing.pop(number, None)

    @method("file:text")
    @method("set:text file:text", name="loadSoundSet")
    def loadFile(self, file: str) -> int:
        """The number of a file."""
        number = next(self._numbers)
        self._files[number] = file
        return number

    @method("file:text volume:float? pan:float?", blocking=True)
    def playFile(self, file: str, *_: float) -> None:
        """Play a file and wait."""
        self._play(self.loadFile(file))

    @method("file:text position:float volume:float? pan:float?", blocking=True)
    def playFileFromPosition(self, file: str, position: float, *_: float) -> None:
        """Play a file from a position [s] on and wait."""
        self._play(self.loadFile(file), position)

    @method("file:text volume:float? pan:float?", blocking=True)
    def playFileInLoop(self, file: str, *_: float) -> None:
        """Play a file again and again until it is stopped."""
        self._play(self.loadFile(file), loop=True)

    @method("number:int volume:float? pan:float?", blocking=True)
    def play(self, number: int, *_: float) -> None:
        """Play a loaded file and wait."""
        self._play(number)

    @method("number:int volume:float? pan:float?", blocking=True)
    def playInLoop(self, number: int, *_: float) -> None:
        """Play a loaded file again and again."""
        self._play(number, loop=True)

    @method("number:int")
    @method("number:int", name="stop")
    @method("number:int", name="pause")
    def unloadFile(self, number: int) -> None:
        """Stop a file."""
        self._playing.pop(number, None)

    @method()
    @method(name="unloadAllFiles")
    def stopAll(self) -> None:
        """Stop all files."""
        self._playing.clear()

    @method("number:int")
    def isPlaying(self, number: int) -> bool:
        """Whether a file sounds."""
        return number in self._playing

    @method("number:int")
    def getCurrentPosition(self, number: int) -> float:
        """Since the beginning of the file [s]."""
        return self.link.now - self._playing[number] if number in self._playing else 0.0

    @method("number:int")
    def getFileLength(self, number: int) -> float:
        """[s]."""
        if number not in self._files:
            raise CallError(f"no file has the number {number}")
        return self._length(number)

    @method("number:int position:float")
    def goTo(self, number: int, position: float) -> None:
        """Go on from a position [s]."""
        if number in self._playing:
            self._playing[number] = self.link.now - position

    @method("volume:float | number:int volume:float")
    def setVolume(self, *given: float) -> None:
        """0 to 1."""
        if not 0.0 <= given[-1] <= 1.0:
            raise CallError(f"volume lies between 0 and 1, got {given[-1]:g}")
        self._volume = given[-1]

    @method("number:int?")
    def getVolume(self, _: int = 0) -> float:
        """0 to 1."""
        return self._volume

    @method("volume:float")
    def setMasterVolume(self, volume: float) -> None:
        """0 to 1."""
        self._master = max(0.0, min(1.0, volume))

    @method()
    def getMasterVolume(self) -> float:
        """0 to 1."""
        return self._master

    @method("frequency:float gain:float pan:float duration:float", blocking=True)
    def playSine(self, frequency: float, gain: float, pan: float, duration: float) -> None:
        """A tone that takes its time."""
        self.link.sleep(min(LONGEST, duration))

    @method()
    def getLoadedFilesIds(self) -> list[int]:
        """Numbers of all files."""
        return list(self._files)

    @method()
    def getLoadedFilesNames(self) -> list[str]:
        """Names of all files."""
        return list(self._files.values())


class AudioRecorder(Service):
    """Records silence, as long as asked for."""

    name = "ALAudioRecorder"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._open: tuple[Path, float, int] | None = None

    @method("file:text kind:text rate:int channels:any?")
    def startMicrophonesRecording(self, file: str, kind: str, rate: int, _: Any = None) -> None:
        """Begin."""
        if self._open is not None:
            raise CallError("a recording is under way; stop it first")
        self._open = (self.robot.file("", file), self.link.now, rate)

    @method()
    def stopMicrophonesRecording(self) -> None:
        """End, and write the file."""
        if self._open is not None:
            path, since, rate = self._open
            self._open = None
            write_silence(path, self.link.now - since, rate if 8000 <= rate <= 48000 else RATE)


class AudioDevice(Service):
    """Volumes; microphones that hear nothing."""

    name = "ALAudioDevice"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._volume, self._muted, self._file = 70, False, ""
        self._wanted: dict[str, tuple[int, int, bool]] = {}  # module: rate [Hz], channels, one channel after the other
        self._listening: set[str] = set()
        self._energy = False

    @method("volume:int")
    def setOutputVolume(self, volume: int) -> None:
        """0 to 100."""
        if not 0 <= volume <= 100:
            raise CallError(f"volume lies between 0 and 100, got {volume}")
        self._volume = volume

    @method()
    def getOutputVolume(self) -> int:
        """0 to 100."""
        return self._volume

    @method("on:bool")
    def muteAudioOut(self, on: bool) -> None:
        """Noted."""
        self._muted = on

    @method()
    def isAudioOutMuted(self) -> bool:
        """As it was set."""
        return self._muted

    @method("file:text")
    def startMicrophonesRecording(self, file: str) -> None:
        """Begin."""
        self.robot.service(AudioRecorder).startMicrophonesRecording(file, "wav", RATE)

    @method()
    def stopMicrophonesRecording(self) -> None:
        """End."""
        self.robot.service(AudioRecorder).stopMicrophonesRecording()

    # ---- microphones in a room that is quiet ---------------------------------------------------------
    @method("module:text rate:int channels:int deinterleaved:any?")
    def setClientPreferences(self, module: str, rate: int, channels: int, deinterleaved: Any = 0) -> None:
        """How a module wants the sound: all channels at 48 kHz, or one (1 left, 2 right, 3 front, 4 rear) at 16 kHz."""
        if rate not in (16000, 48000) or not 0 <= channels <= MICROPHONES:
            raise CallError(f"rate is 16000 or 48000 and channels are 0 (all) to 4, got {rate} and {channels}")
        self._wanted[module] = (rate, channels, bool(deinterleaved))

    @method("module:text")
    def subscribe(self, module: str) -> None:
        """From now on `processRemote(channels, samples, [s, us], sound)` of a module is called six times a second."""
        if module not in self._listening:
            self._listening.add(module)
            threading.Thread(target=self._tell, args=(module,), name=f"sound of {module}", daemon=True).start()

    @method("module:text")
    def unsubscribe(self, module: str) -> None:
        """No more."""
        self._listening.discard(module)

    def close(self) -> None:
        """Nobody listens any more."""
        self._listening.clear()

    def _tell(self, module: str) -> None:
        rate, chosen, _ = self._wanted.get(module, (RATE, 3, False))
        channels, samples = MICROPHONES if chosen == ALL_CHANNELS else 1, round(BUFFER * rate)
        sound = "\0" * (2 * channels * samples)  # text, since qi sends bytes only where a signature says so
        try:
            listener = self.robot.service(Memory).ask(module)
            called = next(c for c in (getattr(listener, n, None) for n in ("processRemote", "processSound")) if c)
            told = self.link.now
            while module in self._listening and self.link.sleep(max(0.0, told + BUFFER - self.link.now)):
                told += BUFFER  # a session that was late tells the rest at once
                called(channels, samples, [int(told), int(1e6 * (told % 1.0))], sound)
        except (RuntimeError, StopIteration) as error:  # it has ended, or takes no sound
            self.robot.say(f"ALAudioDevice: {module} hears no more: {error or 'it has no processRemote'}")
        self._listening.discard(module)

    @method()
    def enableEnergyComputation(self) -> None:
        """How loud it is may be asked for."""
        self._energy = True

    @method()
    def disableEnergyComputation(self) -> None:
        """No more."""
        self._energy = False

    @method()
    @method(name="getLeftMicEnergy")
    @method(name="getRightMicEnergy")
    @method(name="getRearMicEnergy")
    def getFrontMicEnergy(self) -> float:
        """How loud it is: not at all."""
        if not self._energy:
            raise CallError("call enableEnergyComputation first")
        return 0.0

    @method("frequency:int gain:int pan:int duration:float", blocking=True)
    def playSine(self, frequency: int, gain: int, pan: int, duration: float) -> None:
        """A tone that takes its time."""
        self.link.sleep(min(LONGEST, duration))
