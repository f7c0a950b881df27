"""What a script of some size imports from the standard library."""

import asyncio  # noqa: F401
import concurrent.futures  # noqa: F401
import csv  # noqa: F401
import ctypes  # noqa: F401
import dataclasses  # noqa: F401
import decimal  # noqa: F401
import email.message  # noqa: F401
import http.client  # noqa: F401
import http.server  # noqa: F401
import logging.config  # noqa: F401
import multiprocessing.pool  # noqa: F401
import sqlite3  # noqa: F401
import ssl  # noqa: F401
import statistics  # noqa: F401
import tempfile  # noqa: F401
import unittest.mock  # noqa: F401
import urllib.request  # noqa: F401
import uuid  # noqa: F401
import xml.etree.ElementTree  # noqa: F401
import zipfile  # noqa: F401


def add(a: int, b: int) -> int:
    return a + b
