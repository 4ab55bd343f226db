"""Reads the words on an opening fence: a language, a file name, or already the first line of the code."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import Final

PYTHON: Final = frozenset({"python", "py", "python3", "py3"})

_WORD: Final = re.compile(r"""[^\s={}"'`]*+(?:\{[^{}]*\}|=(?:"[^"]*"|'[^']*'|\S*))|\S+""")
_TAG: Final = re.compile(r"[\w.+#/\\:-]+|[\w.+#-]*[,:;{=].*", re.DOTALL)
_FILE: Final = re.compile(r"(?:[^\s/\\]*[/\\])*[\w.-]*\w\.[A-Za-z]\w{0,9}")
_ATTRIBUTE: Final = re.compile(r"[A-Za-z_][\w.:-]*=.*", re.DOTALL)
_LANGUAGE: Final = re.compile(r"[\w+#-]*")
_NAME_KEYS: Final = frozenset({"title", "file", "filename", "name", "path"})
_SEPARATORS: Final = re.compile(r"""[\s,;:={}()"'`]+""")


@dataclass(frozen=True, slots=True)
class Info:
    """What an opening fence says: a lower-case language or "", a file name or "", and a line of code or ""."""

    language: str = ""
    file: str = ""
    code: str = ""


def read_info(info: str) -> Info:
    """Return what the words on an opening fence say.

    A tag is one word without spaces, or a word with attributes (``python title=client.py``, ``python {client.py}``,
    ``python client.py``). Anything else is code that began on the fence's own line.
    """
    words = _WORD.findall(info)
    if not words:
        return Info()
    tag, attributes = words[0], words[1:]
    if attributes and not _is_tag(tag, attributes):
        return Info(code=info)
    language = _language(tag)
    return Info("" if _FILE.fullmatch(tag) else language, _file(words))


def names(file: str, outfile: str) -> bool:
    """Whether `file`, with or without folders, is the name of `outfile`."""
    mine, its = (path.replace("\\", "/").removeprefix("./").strip("/") for path in (file, outfile))
    return mine == its or mine.endswith("/" + its) or its.endswith("/" + mine)


def _is_tag(tag: str, attributes: list[str]) -> bool:
    if keyword.iskeyword(tag) or not _TAG.fullmatch(tag):
        return False
    if all(_ATTRIBUTE.fullmatch(word) or word.startswith("{") or _FILE.fullmatch(word) for word in attributes):
        return True
    # Words that some renderers know (`python showLineNumbers`); no Python code begins with two names.
    return tag.lower() in PYTHON and attributes[0][0].isalnum()


def _language(tag: str) -> str:
    if tag.startswith("{"):
        tag = tag[1:].strip().removeprefix(".")
    elif tag.partition("=")[0] in _NAME_KEYS:
        return ""
    found = _LANGUAGE.match(tag)
    return found[0].lower() if found else ""


def _file(words: list[str]) -> str:
    """Return the first file name among tag and attributes."""
    for word in words:
        key, equals, value = word.partition("=")
        if equals and "{" not in word:
            word = value if _SEPARATORS.split(key)[-1] in _NAME_KEYS else ""
        for name in _SEPARATORS.split(word):
            if _FILE.fullmatch(name):
                return name
    return ""
