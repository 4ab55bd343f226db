"""``agentcompass-websearch doctor``: whether this installation works, and how to mend it."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

from cyclopts import Parameter

from agentcompass_websearch.cli.checks import Finding, examine


def doctor(*, as_json: Annotated[bool, Parameter(name="--json", negative="")] = False) -> int:
    """Check this installation; each fault comes with what mends it.

    Checked are Python, the host and its version, whether the host finds the plugins, the vendor families and their
    keys (set or not, never shown), Hugging Face, proxies, the configuration files that the host reads here, and the
    MODEL_... variables. Nothing is sent anywhere. It takes some seconds, since it loads the host as a run does.

    Exit code: 0 it works (warnings may stand), 1 something is broken. For example, to see only what is wrong:

        agentcompass-websearch doctor | grep -A1 -E '^(fault|warning)'

    Args:
        as_json: Print JSON: {"works": bool, "findings": [{"level", "about", "message", "fix"}]}.
    """
    findings = list(examine())
    works = all(finding.level != "fault" for finding in findings)
    if as_json:
        print(json.dumps({"works": works, "findings": [dataclasses.asdict(f) for f in findings]}, indent=2))
    else:
        for finding in findings:
            print(_as_text(finding))
        print(_verdict(findings, works))
    return 0 if works else 1


def _as_text(finding: Finding) -> str:
    line = f"{finding.level:<8} {finding.about:<9} {finding.message}"
    return f"{line}\n{'fix:':>23} {finding.fix}" if finding.fix else line


def _verdict(findings: list[Finding], works: bool) -> str:
    if works:
        warnings = sum(finding.level == "warning" for finding in findings)
        return "\nIt works." + (f" {warnings} warning(s) above." if warnings else "")
    faults = sum(finding.level == "fault" for finding in findings)
    return f"\nSomething is broken: {faults} fault(s) above, each with its fix."
