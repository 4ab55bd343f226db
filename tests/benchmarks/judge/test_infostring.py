"""What the words on an opening fence say."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.infostring import Info, names, read_info


@pytest.mark.parametrize(
    ("info", "language", "file"),
    [
        ("", "", ""),
        ("python", "python", ""),
        ("Python3", "python3", ""),
        ("PY", "py", ""),
        ("c++", "c++", ""),
        ("c#", "c#", ""),
        ("python3.12", "python3", ""),
        ("client.py", "", "client.py"),
        ("src/client.py", "", "src/client.py"),
        ("python client.py", "python", "client.py"),
        ("python title=client.py", "python", "client.py"),
        ('python title="client.py"', "python", "client.py"),
        ("python title='the client, client.py' x=1", "python", "client.py"),
        ("python file=src/client.py", "python", "src/client.py"),
        ("python filename=client.py {1,3-5}", "python", "client.py"),
        ("python {file: client.py}", "python", "client.py"),
        ("python {client.py}", "python", "client.py"),
        ("python {.numbered title=client.py}", "python", "client.py"),
        ("python{file: client.py}", "python", "client.py"),
        ("{.python file=client.py}", "python", "client.py"),
        ("{python}", "python", ""),
        ("python:client.py", "python", "client.py"),
        ("python,title=client.py", "python", "client.py"),
        ("title=client.py", "", "client.py"),
        ("python highlight=client.get", "python", ""),
        ("python showLineNumbers", "python", ""),
        ("python lines=1-3 title=x", "python", ""),
        ("diff client.py", "diff", "client.py"),
        ("text {settings.py}", "text", "settings.py"),
        ("x=1", "x", ""),
    ],
)
def test_tags_and_attributes(info: str, language: str, file: str) -> None:
    assert read_info(info) == Info(language, file, "")


@pytest.mark.parametrize(
    "info",
    [
        "import httpx",
        "import os.path",
        "from httpx import Client",
        "x = 1",
        "x: int = 1",
        "x += 1",
        "def f():",
        "class A: x = 1",
        "async def f():",
        "print('a', file=f)",
        "client.get(url, timeout=3)",
        "python = 3",
        "Here is the file",
    ],
)
def test_code_that_begins_on_the_fence(info: str) -> None:
    assert read_info(info) == Info(code=info)


@pytest.mark.parametrize(
    ("file", "outfile", "same"),
    [
        ("client.py", "client.py", True),
        ("./client.py", "client.py", True),
        ("src/client.py", "client.py", True),
        ("src\\client.py", "client.py", True),
        ("client.py", "pkg/client.py", True),
        ("pkg/client.py", "pkg/client.py", True),
        ("other/client.py", "pkg/client.py", False),
        ("my_client.py", "client.py", False),
        ("Client.py", "client.py", False),
        ("client.pyi", "client.py", False),
    ],
)
def test_names_of_the_outfile(file: str, outfile: str, same: bool) -> None:
    assert names(file, outfile) is same
