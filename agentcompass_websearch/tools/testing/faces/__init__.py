"""The vendors that the zoo speaks, one file each: a module of the family's name with a constant ``FACE``."""

from __future__ import annotations

import importlib
import pkgutil

from agentcompass_websearch.tools.testing.face import Face


def all_faces() -> dict[str, Face]:
    """Return every face by its family."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    return {module.FACE.family: module.FACE for module in modules}
