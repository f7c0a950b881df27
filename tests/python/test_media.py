import io
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
from base64 import b64decode
from types import ModuleType
from unittest import mock

from mcp_execution import _plots, _run, result
from mcp_execution._attach import FilesTooLarge
from mcp_execution._media import recognise
from mcp_execution._values import BadResult, to_json
from test_attach import Heard

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + bytes(13)
MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)


class Recognising(unittest.TestCase):
    def test_pictures_and_sounds_are_known_by_how_they_begin(self):
        samples = {
            "image/png": PNG,
            "image/jpeg": b"\xff\xd8\xff\xe0" + bytes(40),
            "image/gif": b"GIF89a" + bytes(20),
            "image/webp": b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(20),
            "audio/wav": sound(),
            "audio/flac": b"fLaC" + bytes(60),
            "audio/ogg": b"OggS" + bytes(24) + b"OpusHead" + bytes(20),
            "audio/mpeg": MP3_FRAME * 2,
        }
        for mime_type, data in samples.items():
            with self.subTest(mime_type):
                for given in (data, bytearray(data), memoryview(data)):
                    self.assertEqual(recognise(given)[2], mime_type)

    def test_an_mp3_may_begin_with_its_tags(self):
        self.assertEqual(recognise(b"ID3\x04\x00" + bytes(20))[1], "mp3")

    def test_what_only_begins_like_media_is_none(self):
        others = [b"", b"\x89PNG", b"\xff\xd8\xff", b"GIF89a", b"RIFF1234AVI ", b"ID3", b"fLaC"]
        others += [b"OggS" + bytes(60), b"BM" + bytes(60)]
        others += [MP3_FRAME[:100], MP3_FRAME + b"other", b"\xff\xfb", b"\xff\xff\xff\xff" * 9, b"\xff\xe8\x90\x00" * 200]
        for data in others:
            with self.subTest(data[:8]):
                self.assertIsNone(recognise(data))


class Returning(unittest.TestCase):
    def setUp(self):
        self.channel = Heard()
        _run.begin(self.channel, None, 1000, True)

    def tearDown(self):
        _run.begin(None)

    def test_bytes_go_ahead_of_a_value_that_names_them(self):
        self.assertEqual(_run.with_files(to_json({"a": PNG, "b": [PNG]}))["a"], "image-1.png")
        (file,) = self.channel.files()
        self.assertEqual((file["name"], file["mimeType"], b64decode(file["data"])), ("image-1.png", "image/png", PNG))

    def test_nothing_is_left_of_a_picture_that_stands_alone(self):
        self.assertIsNone(to_json(PNG))
        self.assertEqual(to_json(PNG, alone=False), "image-1.png")

    def test_files_of_a_value_that_is_refused_are_not_sent_with_the_next(self):
        with self.assertRaises(BadResult):
            result([PNG, object()])
        result(1)
        self.assertEqual(self.channel.files(), [])

    def test_pictures_count_as_files(self):
        with self.assertRaises(FilesTooLarge) as caught:
            _run.with_files(to_json([PNG + bytes(900)]))
        self.assertIn("take more than 1000 bytes", str(caught.exception))

    def test_too_many_together_are_refused(self):
        with self.assertRaises(FilesTooLarge):
            _run.with_files(to_json([PNG + bytes([number]) * 400 for number in range(3)]))

    def test_nobody_asks_for_files_unless_they_say_so(self):
        _run.begin(self.channel, None, 1000)
        self.assertTrue(to_json(PNG).startswith("iVBOR"))

    def test_a_class_that_is_called_like_a_picture_elsewhere_is_none(self):
        class Image:
            pass

        with self.assertRaises(BadResult):
            to_json(Image())

    def test_a_picture_of_pil_is_written_as_png(self):
        self.assertIsNone(_run.with_files(to_json(image())))
        self.assertEqual([file["name"] for file in self.channel.files()], ["image-1.png"])

    def test_a_picture_that_cannot_be_written_says_why(self):
        broken = image()
        broken.save = mock.Mock(side_effect=OSError("no encoder"))
        with self.assertRaises(BadResult) as caught:
            to_json(broken)
        self.assertIn("no encoder", str(caught.exception))

    def test_without_a_host_a_picture_is_told_by_a_name(self):
        _run.begin(None)
        self.assertIsNone(to_json(image()))


class ChoosingABackend(unittest.TestCase):
    def chosen(self, backend, environment=None):
        matplotlib = ModuleType("matplotlib")
        matplotlib.rcParams = {"backend": backend}
        with mock.patch.dict("os.environ", environment or {}):
            with mock.patch.dict(sys.modules, {"matplotlib": matplotlib}):
                _plots.watch()
        return matplotlib.rcParams["backend"]

    def test_figures_go_to_the_host_where_nobody_chose(self):
        self.assertEqual(self.chosen(object()), "module://mcp_execution._matplotlib")

    def test_a_choice_of_the_person_stays(self):
        unset = object()
        self.assertEqual(self.chosen("svg"), "svg")
        self.assertIs(self.chosen(unset, {"MPLBACKEND": "svg"}), unset)

    def test_figures_go_to_the_host_after_a_look_whether_matplotlib_is_there(self):
        code = "importlib.util.find_spec('matplotlib'); import matplotlib; print(matplotlib.rcParams['backend'])"
        files = {"matplotlib.py": "rcParams = {'backend': None}"}
        self.assertEqual(self.printed(code, files), "module://mcp_execution._matplotlib")

    def test_a_folder_of_that_name_is_imported_as_one(self):
        self.assertEqual(self.printed("import matplotlib; print(matplotlib.__file__)", {"matplotlib/data.txt": ""}), "None")

    def printed(self, code, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            prelude = "import sys, importlib.util; from mcp_execution import _plots"
            prelude += "; _plots.watch(); sys.path.insert(0, sys.argv[1])"
            environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
            command = [sys.executable, "-B", "-S", "-c", f"{prelude}; {code}", folder]
            return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()

    def test_another_module_of_that_name_is_left_alone(self):
        with mock.patch.dict(sys.modules, {"matplotlib": ModuleType("matplotlib")}):
            _plots.watch()


def sound():
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes(10))
    return stream.getvalue()


def image():
    """What is looked at in a picture of PIL."""

    def save(stream, format):
        stream.write(PNG)

    kind = type("Image", (), {"__module__": "PIL.Image", "mode": "RGB", "format": None})
    made = kind()
    made.save = save
    return made


if __name__ == "__main__":
    unittest.main()
