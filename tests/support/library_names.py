"""Writes the list of library names that gold code uses without a vendor documenting them.

Run ``python -m tests.support.library_names`` when a library that golds are written with has grown. It lists what is
public in the modules that HTTP clients are made of: names, attributes of classes, parameters.
"""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets import derive_names

TARGET: Final = Path(derive_names.__file__).with_name("library_names.txt")
HEADER: Final = """\
# Opaque names of httpx, requests, urllib3, the standard library and the built-in types: attributes and parameters that
# gold code uses without their being documented by the vendor. One a line.
"""
MODULES: Final = """
abc argparse asyncio base64 binascii builtins collections collections.abc concurrent.futures contextlib copy csv
dataclasses datetime decimal email.message email.mime.multipart email.mime.text email.utils enum functools gzip hashlib
hmac html http http.client http.cookiejar http.cookies io itertools json logging logging.handlers math mimetypes
operator pathlib pprint queue random re secrets shutil statistics string subprocess tempfile textwrap threading time
traceback types typing urllib.error urllib.parse urllib.request uuid warnings xml.dom.minidom xml.etree.ElementTree
xml.sax.saxutils zipfile zlib zoneinfo
httpx requests requests.adapters requests.auth requests.exceptions requests.models requests.sessions
requests.structures urllib3 urllib3.util.retry
"""


def public_names() -> set[str]:
    """Return the opaque public names of `MODULES` as installed here."""
    names: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in MODULES.split():
            module = importlib.import_module(name)
            for owner in (module, *(value for value in vars(module).values() if inspect.isclass(value))):
                names.update(_names_in(owner))
    return {n for n in names if not n.startswith("_") and derive_names.is_opaque(n)}


def _names_in(owner: object) -> Iterator[str]:
    for name in dir(owner):
        yield name
        value = getattr(owner, name, None)
        if callable(value):
            try:
                yield from inspect.signature(value).parameters
            except (ValueError, TypeError):
                continue


def main() -> None:
    """Write the list."""
    TARGET.write_text(HEADER + "".join(f"{name}\n" for name in sorted(public_names())), encoding="utf-8")
    print(f"{TARGET}: {len(public_names())} names")


if __name__ == "__main__":
    main()
