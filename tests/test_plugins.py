"""Plugins: families from metadata, one loaded at a time, errors a reader can act on, observers that never hurt."""

from __future__ import annotations

import inspect
import logging
import sys
from types import SimpleNamespace

import pytest

from agentcompass_websearch import plugins
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.plugins import OBSERVER_GROUP, PluginError, hookimpl
from agentcompass_websearch.records import CallRecord
from tests.support.installs import SiteFolder, vendor_source


@pytest.fixture
def you(installed_here: SiteFolder) -> SiteFolder:
    """Two installed families of which one name begins like the other."""
    installed_here.add_vendor("acme", vendor_source("acme", "fast", "highlights_deep"))
    installed_here.add_vendor("acme_highlights", vendor_source("acme_highlights", "", "core"))
    return installed_here


def test_families_are_listed_without_importing_one(you: SiteFolder) -> None:
    you.add_vendor("broken", "raise RuntimeError")
    names = list(plugins.families())
    assert names == sorted(names)
    assert {"acme", "acme_highlights", "broken"} <= set(names)
    assert not {name for name in sys.modules if name.startswith(("acme_plugin", "broken_plugin"))}


@pytest.mark.parametrize(
    ("vendor_id", "family", "mode"),
    [
        ("acme", "acme", "fast"),
        ("acme_fast", "acme", "fast"),
        ("acme_highlights", "acme_highlights", ""),
        ("acme_highlights_core", "acme_highlights", "core"),
    ],
)
def test_an_id_resolves_to_the_longest_family_and_its_mode(
    you: SiteFolder, vendor_id: str, family: str, mode: str
) -> None:
    vendor, found = plugins.resolve(vendor_id)
    assert (vendor.family, found.name) == (family, mode)


def test_resolving_imports_that_family_only(you: SiteFolder) -> None:
    plugins.resolve("acme_highlights_core")
    assert "acme_highlights_plugin_acme_highlights" in sys.modules
    assert "acme_plugin_acme" not in sys.modules


@pytest.mark.parametrize(
    ("vendor_id", "message"),
    [
        ("amce", "unknown vendor 'amce'. Did you mean acme?"),
        ("ACME", "unknown vendor 'ACME'. Did you mean acme"),
        ("acme-fast", "unknown vendor 'acme-fast'. Did you mean acme"),
        ("amce_fast", "unknown vendor 'amce_fast'. Did you mean acme?"),
        ("acmefast", "unknown vendor 'acmefast'. Did you mean acme"),
        ("zzzzzz", "unknown vendor 'zzzzzz'. List all vendors with: agentcompass-websearch vendors"),
        (
            "acme_fsat",
            "vendor 'acme' has no mode 'fsat'. Did you mean acme_fast? Its ids: acme_fast, acme_highlights_deep",
        ),
        ("acme_", "vendor 'acme' has no mode ''"),
        ("acme_highlights_", "vendor 'acme_highlights' has no mode ''"),
        ("acme_highlights_deep", "vendor 'acme_highlights' has no mode 'deep'"),
        ("", "no vendor id given (got '')"),
        ("  ", "no vendor id given"),
        (None, "no vendor id given (got None)"),
        (7, "no vendor id given (got 7)"),
    ],
)
def test_an_unknown_id_says_what_is_near_and_how_to_list(you: SiteFolder, vendor_id: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        plugins.resolve(vendor_id)
    assert str(caught.value).startswith(message)


BROKEN = {
    "raises": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "exits": ("raise SystemExit('bye')", "SystemExit: bye"),
    "needs": ("import not_installed_anywhere", "ModuleNotFoundError: No module named 'not_installed_anywhere'"),
    "empty": ("", "TypeError: the module has no @hookimpl function websearch_vendor"),
    "returns": (
        "from agentcompass_websearch.plugins import hookimpl\n@hookimpl\ndef websearch_vendor(): return 'x'",
        "TypeError: websearch_vendor returned a str, not a Vendor",
    ),
    "misspelt": (
        "from agentcompass_websearch.plugins import hookimpl\n@hookimpl\ndef websearch_vender(): return None",
        "PluginValidationError: unknown hook 'websearch_vender'",
    ),
    "misnamed": (vendor_source("other"), "ValueError: its Vendor has family 'other', but its entry point is named"),
    "unpriced": (
        vendor_source("unpriced").replace('("search-only",))', '("search-only",), None)'),
        "TypeError: the price of its mode '' is None, not a Price: an unknown one is Price()",
    ),
    "modeless": (
        vendor_source("modeless").replace('Mode(n, "mode " + n, frozenset({"search"}), ("search-only",))', "n"),
        "TypeError: its mode '' is a str, not a Mode",
    ),
    "default": (vendor_source("default", "a", default="b"), "ValueError: its default mode 'b' is none of its modes"),
}


@pytest.mark.parametrize("family", BROKEN)
def test_a_broken_vendor_is_named_with_its_fix_and_harms_no_other(you: SiteFolder, family: str) -> None:
    source, error = BROKEN[family]
    module = you.add_vendor(family, source)
    with pytest.raises(PluginError) as caught:
        plugins.resolve(family)
    named = f"vendor family '{family}' of {family}-plugin 1.0 (agentcompass_websearch.tools: {module}) cannot be loaded"
    assert str(caught.value).startswith(f"{named}: {error}")
    assert caught.value.fix == f"pip install --upgrade {family}-plugin"
    vendors, problems = plugins.all_vendors()
    assert {"acme", "acme_highlights"} <= {vendor.family for vendor in vendors}
    assert str(caught.value) in problems


def test_two_distributions_with_one_family_are_both_named_and_harm_no_other(you: SiteFolder) -> None:
    first = you.add_vendor("twice", vendor_source("twice"), "one-dist")
    second = you.add_vendor("twice", vendor_source("twice"), "other-dist")
    with pytest.raises(PluginError) as caught:
        plugins.resolve("twice")
    message = str(caught.value)
    assert f"one-dist 1.0 ({first})" in message
    assert f"other-dist 1.0 ({second})" in message
    assert "pip uninstall all but one" in message
    assert first not in sys.modules
    vendors, problems = plugins.all_vendors()
    assert message in problems
    assert {"acme", "acme_highlights"} <= {vendor.family for vendor in vendors}
    assert plugins.resolve("acme_fast")[0].family == "acme"


def test_a_vendor_is_built_once(you: SiteFolder) -> None:
    assert plugins.resolve("acme_fast")[0] is plugins.resolve("acme")[0]


CALL = CallRecord(call_id="c1", op="search", vendor_id="acme", turn=1, n=1, ok=True)


def test_observers_get_what_they_ask_for(installed_here: SiteFolder) -> None:
    seen: list[object] = []

    class Observer:
        @hookimpl
        def websearch_tool_called(self, call: CallRecord) -> None:
            seen.append(call)

        @hookimpl
        def websearch_attempt_scored(self, verdict: object, ticket: object) -> None:
            seen.append((ticket, verdict))

    plugins.observe(Observer())
    plugins.notify("websearch_tool_called", call=CALL)
    plugins.notify("websearch_attempt_scored", ticket="t", verdict="v", record=None)
    assert seen == [CALL, ("t", "v")]


def test_installed_observers_are_found_and_a_broken_one_is_left_out(
    installed_here: SiteFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    module = (
        "from agentcompass_websearch.plugins import hookimpl\nseen = []\n@hookimpl\ndef websearch_tool_called(call):"
    )
    installed_here.add(
        "tracing", {OBSERVER_GROUP: {"tracing": "tracing"}}, {"tracing": f"{module} seen.append(call.n)"}
    )
    installed_here.add(
        "bad-tracing", {OBSERVER_GROUP: {"bad": "bad_tracing"}}, {"bad_tracing": "import nowhere_at_all"}
    )
    plugins.notify("websearch_tool_called", call=CALL)
    plugins.notify("websearch_tool_called", call=CALL)
    assert sys.modules["tracing"].seen == [1, 1]
    (line,) = capsys.readouterr().err.splitlines()
    assert "plugin 'bad' of bad-tracing 1.0" in line


def test_an_observer_that_raises_is_logged_and_the_others_still_hear(
    installed_here: SiteFolder, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    def observer(name: str, *, fails: bool) -> SimpleNamespace:
        @hookimpl
        def websearch_tool_called(call: CallRecord) -> None:
            seen.append(name)
            if fails:
                raise OSError("collector is down")

        return SimpleNamespace(websearch_tool_called=websearch_tool_called)

    for name, fails in (("first", False), ("bad", True), ("last", False)):
        plugins.observe(observer(name, fails=fails), name)
    with caplog.at_level(logging.WARNING, "agentcompass.plugins.websearch"):
        plugins.notify("websearch_tool_called", call=CALL)
    assert seen == ["first", "bad", "last"]
    (record,) = caplog.records
    assert record.getMessage() == "observer bad failed in websearch_tool_called: OSError: collector is down"
    assert record.exc_info


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def websearch_tool_caled(call): ...", "unknown hook 'websearch_tool_caled'"),
        ("def websearch_tool_called(calls): ...", "'calls'"),
    ],
)
def test_an_observer_of_a_hook_that_does_not_exist_is_refused(
    installed_here: SiteFolder, source: str, error: str
) -> None:
    namespace: dict[str, object] = {"hookimpl": hookimpl}
    exec(f"@hookimpl\n{source}", namespace)
    with pytest.raises(UsageError, match="not an observer") as caught:
        plugins.observe(SimpleNamespace(**{k: v for k, v in namespace.items() if k.startswith("websearch")}))
    assert error in str(caught.value)


def test_notify_without_observers_does_nothing(installed_here: SiteFolder) -> None:
    plugins.notify("websearch_tool_called", call=CALL)


def test_every_hook_is_documented_with_an_example() -> None:
    hooks = {name: hook for name, hook in vars(plugins.HookSpecs).items() if name.startswith("websearch_")}
    assert set(hooks) == {"websearch_vendor", "websearch_tool_called", "websearch_attempt_scored"}
    for name, hook in hooks.items():
        assert f"@hookimpl\n    def {name}(" in (inspect.getdoc(hook) or ""), name
