"""ALTextToSpeech, ALAnimatedSpeech and ALSpeechRecognition."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Extractor, Service, method

from .audio import write_silence
from .behaviors import BehaviorManager
from .memory import Memory

LETTERS = 14.0  # that are spoken in a second at the usual speed
PAUSE = 0.3  # after a text [s]
LONGEST = 120.0  # [s]
TAG = re.compile(r"\\+\w+(=[^\\]*)?\\+")
PAUSES = re.compile(r"\\+pau=(\d+)\\+")
SPEED = re.compile(r"\\+rspd=(\d+)\\+")
ANIMATION = re.compile(r"\^(\w+)(\(([^)]*)\))?")
LANGUAGES = ("English", "French", "German", "Spanish", "Italian", "Japanese", "Chinese", "Korean", "Portuguese")
VOICES = {"English": "en", "French": "fr", "German": "de", "Spanish": "es", "Italian": "it", "Portuguese": "pt"}


def plain_text(text: str) -> str:
    """What is spoken of a text: without tags of the voice and of animations."""
    return re.sub(r"\s+", " ", ANIMATION.sub(" ", TAG.sub(" ", text))).strip()


def talking_time(text: str, speed: float = 100.0) -> float:
    """How long it takes to say a text [s]: 14 letters a second, and the pauses that it names."""
    spoken, rate = plain_text(text), speed / 100.0
    said = SPEED.search(text)
    if said:
        rate *= max(50, min(400, int(said[1]))) / 100.0
    pauses = sum(int(match) for match in PAUSES.findall(text)) / 1000.0
    return min(LONGEST, (len(spoken) / LETTERS + PAUSE * bool(spoken)) / max(0.2, rate) + pauses)


class TextToSpeech(Service):
    """Says texts: on the page and in the log, aloud where espeak-ng is installed; it takes as long as a voice would."""

    name = "ALTextToSpeech"
    in_order = True

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._language, self._voice, self._volume = "English", "naoenu", 0.7
        self._parameters = {"speed": 100.0, "pitchShift": 0.0, "doubleVoice": 0.0, "doubleVoiceLevel": 0.0,
                            "doubleVoiceTimeShift": 0.0, "volume": 70.0}  # fmt: skip
        self._speaker = shutil.which("espeak-ng") if robot.sound else None
        self._words = 0

    def speak(self, text: str, language: str = "") -> None:
        """Say a text and wait for its end."""
        memory = self.robot.service(Memory)
        if not self.tasks.own(("voice",)):
            return
        spoken = plain_text(text)
        self._words += 1
        number = self._words
        memory.raise_event("ALTextToSpeech/Status", [number, "started"])
        memory.raise_event("ALTextToSpeech/TextStarted", 1)
        memory.raise_event("ALTextToSpeech/CurrentSentence", spoken)
        if spoken:
            self.robot.say_aloud(spoken)
            self._sound(spoken, language or self._language)
        done = self.link.sleep(talking_time(text, self._parameters["speed"]))
        memory.raise_event("ALTextToSpeech/TextStarted", 0)
        memory.raise_event("ALTextToSpeech/TextDone", 1)
        memory.raise_event("ALTextToSpeech/Status", [number, "done" if done else "stopped"])
        memory.raise_event("ALTextToSpeech/CurrentSentence", "")

    def _sound(self, text: str, language: str) -> None:
        if self._speaker is None:
            return
        words = [self._speaker, "-v", VOICES.get(language, "en"), "-a", str(round(200 * self._volume)), "--stdin"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert process.stdin is not None
        process.stdin.write(text.encode())
        process.stdin.close()

    @method("text:any language:text?", blocking=True)
    def say(self, text: Any, language: str = "") -> None:
        """Say a text and wait for its end."""
        if language and language not in LANGUAGES:
            raise CallError(f"language {language} is not installed")
        self.speak(text if isinstance(text, str) else str(text), language)

    @method("text:text file:text", blocking=True)
    def sayToFile(self, text: str, file: str) -> None:
        """A file with the sound of a text: silence of its length."""

        write_silence(self.robot.file("", file), talking_time(text, self._parameters["speed"]))

    @method()
    def stopAll(self) -> None:
        """Fall silent."""
        self.tasks.cancel(lambda task: "voice" in task.resources)

    @method("language:text")
    def setLanguage(self, language: str) -> None:
        """One of getAvailableLanguages."""
        if language not in LANGUAGES:
            raise CallError(f"language {language} is not installed; there are {', '.join(LANGUAGES)}")
        self._language = language

    @method()
    def getLanguage(self) -> str:
        """As it was set."""
        return self._language

    @method()
    @method(name="getSupportedLanguages")
    def getAvailableLanguages(self) -> list[str]:
        """All languages."""
        return list(LANGUAGES)

    @method("volume:float")
    def setVolume(self, volume: float) -> None:
        """0 to 1."""
        if not 0.0 <= volume <= 1.0:
            raise CallError(f"volume lies between 0 and 1, got {volume:g}")
        self._volume = volume

    @method()
    def getVolume(self) -> float:
        """0 to 1."""
        return self._volume

    @method("voice:text")
    def setVoice(self, voice: str) -> None:
        """Noted."""
        self._voice = voice

    @method()
    def getVoice(self) -> str:
        """As it was set."""
        return self._voice

    @method()
    def getAvailableVoices(self) -> list[str]:
        """One."""
        return ["naoenu"]

    @method("parameter:text value:float")
    def setParameter(self, parameter: str, value: float) -> None:
        """speed [percent], pitchShift, doubleVoice ..."""
        if parameter not in self._parameters and parameter != "defaultVoiceSpeed":
            raise CallError(f"no parameter {parameter}; there are {', '.join(self._parameters)}")
        self._parameters[parameter] = value

    @method("parameter:text")
    def getParameter(self, parameter: str) -> float:
        """As it was set."""
        if parameter not in self._parameters:
            raise CallError(f"no parameter {parameter}")
        return self._parameters[parameter]

    @method()
    def resetSpeed(self) -> None:
        """Back to 100 percent."""
        self._parameters["speed"] = 100.0


class AnimatedSpeech(Service):
    """Says texts with gestures between ^start(...) and ^wait(...)."""

    name = "ALAnimatedSpeech"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._mode = 2

    @method("text:any configuration:any?", blocking=True)
    def say(self, text: Any, configuration: Any = None) -> None:
        """Say a text and wait for its end."""
        told = text if isinstance(text, str) else str(text)
        behaviors = self.robot.service(BehaviorManager)
        for match in ANIMATION.finditer(told):
            if match[1] in ("start", "run") and match[3]:
                behaviors.begin(match[3], waits=False)
        self.robot.service(TextToSpeech).speak(told)

    @method("mode:int")
    def setBodyLanguageMode(self, mode: int) -> None:
        """0 disabled, 1 random, 2 contextual: noted."""
        if mode not in (0, 1, 2):
            raise CallError(f"the mode is 0, 1 or 2, got {mode}")
        self._mode = mode

    @method()
    def getBodyLanguageMode(self) -> int:
        """As it was set."""
        return self._mode

    @method("mode:text")
    def setBodyLanguageModeFromStr(self, mode: str) -> None:
        """disabled, random or contextual."""
        names = ("disabled", "random", "contextual")
        if mode not in names:
            raise CallError(f"the mode is one of {', '.join(names)}, got {mode}")
        self._mode = names.index(mode)

    @method()
    def getBodyLanguageModeToStr(self) -> str:
        """As it was set."""
        return ("disabled", "random", "contextual")[self._mode]

    @method("on:bool")
    def setBodyLanguageEnabled(self, on: bool) -> None:
        """Noted."""
        self._mode = 2 if on else 0

    @method()
    def isBodyLanguageEnabled(self) -> bool:
        """As it was set."""
        return self._mode > 0


class SpeechRecognition(Extractor):
    """Hears nothing: nobody speaks to a simulated robot."""

    name = "ALSpeechRecognition"
    outputs = ("WordRecognized", "WordRecognizedAndGrammar", "SpeechDetected", "LastWordRecognized")

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._language, self._words = "English", list[str]()

    @method("language:text")
    def setLanguage(self, language: str) -> None:
        """Noted."""
        self._language = language

    @method()
    def getLanguage(self) -> str:
        """As it was set."""
        return self._language

    @method()
    def getAvailableLanguages(self) -> list[str]:
        """All languages."""
        return list(LANGUAGES)

    @method("words:names spotting:bool?")
    def setVocabulary(self, words: list[str], _: bool = False) -> None:
        """Noted."""
        self._words = words

    @method("words:names")
    def setWordListAsVocabulary(self, words: list[str]) -> None:
        """Noted."""
        self._words = words
