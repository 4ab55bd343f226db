"""Vendors and observers as plugins: hook specifications, discovery by entry points, and readable errors.

A vendor is a module with one hook, named under its family in the entry-point group ``agentcompass_websearch.tools``;
an observer is a module with observer hooks in the group ``agentcompass_websearch.observers``:

    [project.entry-points."agentcompass_websearch.tools"]
    acme = "acme_websearch.vendor"

    [project.entry-points."agentcompass_websearch.observers"]
    acme-tracing = "acme_websearch.tracing"

Listing families reads metadata only; resolving a vendor id imports only that family. Every plugin has a pluggy manager
of its own, so that a broken one harms no other.
"""

from __future__ import annotations

import difflib
import importlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import pluggy

from agentcompass_websearch import _discovery
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import CallRecord
from agentcompass_websearch.tools.contract import Mode, Price, Vendor

VENDOR_GROUP: Final = "agentcompass_websearch.tools"
OBSERVER_GROUP: Final = "agentcompass_websearch.observers"
_PROJECT: Final = "agentcompass_websearch"

_hookspec = pluggy.HookspecMarker(_PROJECT)
hookimpl = pluggy.HookimplMarker(_PROJECT)
"""Marks a function of a plugin module as the implementation of the hook of the same name."""

# The host records only loggers of its own name.
_log = logging.getLogger("agentcompass.plugins.websearch")

_HOW_TO_LIST: Final = "List all vendors with: agentcompass-websearch vendors"

ObserverHook = Literal["websearch_tool_called", "websearch_attempt_scored"]


class HookSpecs:
    """The hooks. An implementation takes any of the named arguments that it needs, and may leave out the others."""

    @_hookspec(firstresult=True)
    def websearch_vendor(self) -> Vendor:  # type: ignore[empty-body]
        """Return the vendor family that this module adds.

        Called once a process, when a vendor id of the family is first used. Open nothing here: no file, no socket, no
        environment variable. `Vendor.family` must be the name of the entry point.

        Example:
            from agentcompass_websearch.plugins import hookimpl
            from agentcompass_websearch.tools.contract import Mode, Vendor

            @hookimpl
            def websearch_vendor() -> Vendor:
                mode = Mode("", "Acme's web index", frozenset({"search"}), ("search-only",))
                return Vendor("acme", "Acme Search", "https://acme.example", {"": mode}, "", open=AcmeClient)
        """

    @_hookspec
    def websearch_tool_called(self, call: CallRecord) -> None:
        """Observe one tool call of an attempt, right after it is done: what was asked of which vendor, and how it went.

        Called in the event loop of the run: return at once, queue what takes time.

        Example:
            @hookimpl
            def websearch_tool_called(call):
                counter.add(1, {"vendor": call.vendor_id, "op": call.op, "ok": call.ok})
        """

    @_hookspec
    def websearch_attempt_scored(self, ticket: Any, verdict: Any, record: Any) -> None:
        """Observe the verdict on one attempt.

        Called in the event loop of the run, as above.

        Args:
            ticket: what was to be done: a `Ticket` of ``benchmarks.ob_code_websearch.tickets``.
            verdict: what the judge found under the policy that decides: a `Verdict` of its ``judge``.
            record: the attempt's `agentcompass_websearch.records.AttemptTelemetry`; None if another harness made it.

        Example:
            @hookimpl
            def websearch_attempt_scored(ticket, verdict):
                if not verdict.passed:
                    print(ticket.id, verdict.missing, verdict.uncited, verdict.ungrounded)
        """


class PluginError(UsageError):
    """A vendor plugin cannot be used: `problem` says which and why, `fix` what mends it."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"{problem}. To mend it: {fix}")
        self.problem = problem
        self.fix = fix


@dataclass(frozen=True, slots=True)
class Family:
    """A vendor family as the installed metadata names it. More than one claim is a conflict: none of them is used."""

    name: str
    claims: tuple[_discovery.Plugin, ...]

    def owner(self) -> _discovery.Plugin:
        """Return the one plugin that claims the family.

        Raises:
            PluginError: several distributions claim it; the message names them all.
        """
        if len(self.claims) > 1:
            names = " and ".join(f"{each.distribution} {each.version} ({each.module})" for each in self.claims)
            raise PluginError(f"vendor family {self.name!r} is claimed by {names}", "pip uninstall all but one of them")
        return self.claims[0]


@cache
def families() -> dict[str, Family]:
    """Return the installed vendor families by name, sorted, from entry-point metadata only; nothing is imported."""
    claims: dict[str, list[_discovery.Plugin]] = {}
    for plugin in _discovery.plugins(VENDOR_GROUP):
        claims.setdefault(plugin.name, []).append(plugin)
    return {name: Family(name, tuple(claims[name])) for name in sorted(claims)}


def resolve(vendor_id: str) -> tuple[Vendor, Mode]:
    """Return vendor and mode of an id: ``family_mode``, or the bare ``family`` for its default mode.

    The longest family name that the id begins with wins; only that family is imported.

    Raises:
        UsageError: no such family or mode.
        PluginError: several distributions claim the family, or its plugin is broken.
    """
    if not isinstance(vendor_id, str) or not vendor_id.strip():
        raise UsageError(f"no vendor id given (got {vendor_id!r}). {_HOW_TO_LIST}")
    owners = [name for name in families() if vendor_id == name or vendor_id.startswith(f"{name}_")]
    if not owners:
        raise UsageError(f"unknown vendor {vendor_id!r}.{nearest(vendor_id, families())} {_HOW_TO_LIST}")
    family = max(owners, key=len)
    vendor = load(family)
    if vendor_id == family:
        return vendor, vendor.modes[vendor.default_mode]
    name = vendor_id.removeprefix(f"{family}_")
    if not name or name not in vendor.modes:
        ids = vendor.vendor_ids()
        near = nearest(vendor_id, ids)
        raise UsageError(f"vendor {family!r} has no mode {name!r}.{near} Its ids: {', '.join(ids)}")
    return vendor, vendor.modes[name]


@cache
def load(family: str) -> Vendor:
    """Import one family of `families` and return its vendor.

    Raises:
        PluginError: several distributions claim the family, or its plugin is broken.
    """
    plugin = families()[family].owner()
    try:
        return _checked(_manager(importlib.import_module(plugin.module), family).hook.websearch_vendor(), family)
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"vendor family {plugin} cannot be loaded: {_discovery.one_line(error)}",
            f"pip install --upgrade {plugin.distribution}",
        ) from error


def all_vendors() -> tuple[list[Vendor], list[str]]:
    """Import every family; return the vendors, and one line for each family that is broken or in conflict."""
    vendors: list[Vendor] = []
    broken: list[str] = []
    for family in families():
        try:
            vendors.append(load(family))
        except PluginError as error:
            broken.append(str(error))
    return vendors, broken


def observe(plugin: object, name: str | None = None) -> None:
    """Add an observer to this process: a module or object with observer hooks (installed ones are found by themselves).

    Raises:
        UsageError: it implements a hook that does not exist, or takes an argument that its hook does not have.
    """
    try:
        manager = _manager(plugin, name)
    except pluggy.PluginValidationError as error:
        raise UsageError(f"not an observer: {_discovery.one_line(error)}") from error
    _observers().append(manager)


def notify(hook: ObserverHook, **arguments: object) -> None:
    """Call `hook` of every observer with `arguments`. An exception in an observer is logged, never raised."""
    for manager in _observers():
        try:
            getattr(manager.hook, hook)(**arguments)
        except Exception as error:  # noqa: BLE001 - an observer must not cost a run
            name = manager.list_name_plugin()[0][0]
            _log.warning("observer %s failed in %s: %s", name, hook, _discovery.one_line(error), exc_info=error)


@cache
def _observers() -> list[pluggy.PluginManager]:
    managers = []
    for plugin in _discovery.plugins(OBSERVER_GROUP):
        try:
            managers.append(_manager(importlib.import_module(plugin.module), plugin.name))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an observer must not cost a run
            _discovery.report(plugin, error)
    return managers


def _manager(plugin: object, name: str | None) -> pluggy.PluginManager:
    manager = pluggy.PluginManager(_PROJECT)
    manager.add_hookspecs(HookSpecs)
    manager.register(plugin, name)
    manager.check_pending()
    return manager


def _checked(vendor: object, family: str) -> Vendor:
    if vendor is None:
        raise TypeError("the module has no @hookimpl function websearch_vendor")
    if not isinstance(vendor, Vendor):
        raise TypeError(f"websearch_vendor returned a {type(vendor).__name__}, not a Vendor")
    if vendor.family != family:
        raise ValueError(f"its Vendor has family {vendor.family!r}, but its entry point is named {family!r}")
    for name, mode in vendor.modes.items():
        if not isinstance(mode, Mode):
            raise TypeError(f"its mode {name!r} is a {type(mode).__name__}, not a Mode")
        if not isinstance(mode.price, Price):
            raise TypeError(f"the price of its mode {name!r} is {mode.price!r}, not a Price: an unknown one is Price()")
    if vendor.default_mode not in vendor.modes:
        raise ValueError(f"its default mode {vendor.default_mode!r} is none of its modes {list(vendor.modes)}")
    return vendor


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean ...?`` with a leading blank, or nothing if nothing is near."""
    plain = name.lower().replace("-", "_")
    names = list(known)
    near = (
        difflib.get_close_matches(plain, names)
        or [n for n in names if plain.startswith(f"{n}_")]
        or difflib.get_close_matches(plain.partition("_")[0], names)
    )
    return f" Did you mean {', '.join(near)}?" if near else ""
