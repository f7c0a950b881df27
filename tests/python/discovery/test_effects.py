"""What importing a script does, and what that means for its functions."""

from .scripts import ScriptCase

FUNCTION = "def f(x: int): 'Doc.'\n"


class ImportingAScript(ScriptCase):
    def effects(self, text):
        return self.describe(FUNCTION + text)["script"]["importEffects"]

    def is_enabled(self, text):
        return self.tools(FUNCTION + text)["f"]["enabled"]

    def test_that_only_defines_has_no_effects(self):
        for text in (
            "import re, logging, os\nP = re.compile('x')\nlog = logging.getLogger(__name__)\nHOME = os.environ.get('HOME')",
            "from pathlib import Path\nROOT = Path(__file__).parent / 'data'",
            "import httpx\nclient = httpx.Client()",
            "from flask import Flask\napp = Flask(__name__)\n@app.route('/')\ndef g(): ...",
            "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1",
            "from typing import TypeVar\nT = TypeVar('T')",
            "import sys\nsys.path.insert(0, 'x')",
            "import logging\nlogging.basicConfig(level=logging.INFO)",
            "import warnings\nwarnings.filterwarnings('ignore')",
            "from dotenv import load_dotenv\nload_dotenv()",
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('x')",
            "TABLE = {}\nTABLE.update(a=1)\nNAMES = []\nfor name in 'abc':\n    NAMES.append(name)",
            "SQUARES = [n * n for n in range(10)]\nTOTAL = sum(SQUARES)",
            "if __name__ == '__main__':\n    print(f(1))",
            "import sys\nif sys.version_info < (3, 8):\n    sys.exit('old')",
            "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
            "import sys\nNAME = sys.argv[1] if len(sys.argv) > 1 else 'x'\nREST = sys.argv[1:]",
            "import sys\nif len(sys.argv) > 1:\n    NAME = sys.argv[1]",
            "import sys\nIS_TERMINAL = sys.stdin.isatty()",
            "later = lambda: print('x')",
            "import matplotlib\nmatplotlib.use('Agg')",
            "def g(): return 3\nVALUE = g()",
        ):
            with self.subTest(text):
                self.assertEqual(self.effects(text), [])
                self.assertTrue(self.is_enabled(text))

    def test_that_does_something_mild_leaves_the_functions_enabled(self):
        for text in (
            "print('hello')",
            "DATA = open('x').read()",
            "with open('x') as file:\n    DATA = file.read()",
            "import requests\nDATA = requests.get('x').json()",
            "import sqlite3\ndb = sqlite3.connect('x')",
            "import threading\nthreading.Thread(target=f).start()",
            "import pandas as pd\nDATA = pd.read_csv('x')",
            "for n in range(3):\n    print(f(n))",
            "def load():\n    with open('x') as file:\n        return file.read()\nDATA = load()",
            "import subprocess\nREV = subprocess.check_output(['git'])",
            "def prepare(): ...\nprepare()",
            "from other import prepare\nprepare()",
        ):
            with self.subTest(text):
                self.assertEqual(len(self.effects(text)), 1, self.effects(text))
                self.assertTrue(self.is_enabled(text))

    def test_that_runs_the_program_disables_the_functions(self):
        for text in (
            "def main(): print(1)\nmain()",
            "import sys\ndef main(): ...\nsys.exit(main())",
            "import sys\nsys.exit(0)",
            "raise SystemExit(1)",
            "name = input('name? ')",
            "import asyncio\nasync def go(): ...\nasyncio.run(go())",
            "from flask import Flask\napp = Flask(__name__)\napp.run()",
            "while True:\n    f(1)",
            "import argparse\nargs = argparse.ArgumentParser().parse_args()",
            "import os\nos.remove('x')",
            "import subprocess\nsubprocess.run(['rm', 'x'])",
            "with open('x', 'w') as file:\n    file.write('x')",
            "from pathlib import Path\nPath('x').write_text('y')",
            "def save():\n    with open('x', 'w') as file: ...\nsave()",
            "def go():\n    import time\n    while True: time.sleep(1)\nif True:\n    go()",
            "import sys\nNAME = sys.argv[1]",
            "import sys\nDATA = sys.stdin.read()",
            "import sys\nfor line in sys.stdin:\n    f(line)",
            "import json, sys\nDATA = json.load(sys.stdin)",
            "import tkinter\nroot = tkinter.Tk()\nroot.mainloop()",
        ):
            with self.subTest(text):
                self.assertFalse(self.is_enabled(text))
                self.assertNotEqual(self.effects(text), [])

    def test_that_runs_the_program_says_which_line_and_what_to_do(self):
        self.assertEqual(
            self.tools(FUNCTION + "import os\n\nos.remove('x')")["f"]["why"],
            "Importing the script runs its work: line 4 removes files (os.remove); put it under if __name__ == '__main__':",
        )

    def test_that_runs_the_program_offers_the_script_as_a_whole(self):
        described = self.describe(FUNCTION + "import os\nos.remove('x')")
        commands = [tool for tool in described["tools"] if tool["run"]["kind"] == "command"]
        self.assertEqual([tool["enabled"] for tool in commands], [True])

    def test_that_has_many_effects_names_a_few(self):
        self.assertLessEqual(len(self.effects("print(1)\n" * 100)), 12)

    def test_functions_that_call_each_other_are_no_endless_search(self):
        self.effects("def a(): b()\ndef b(): a()\na()")
