"""The benchmark's parameters, as the host builds them.

The host titles a run's analysis after the name of the module that holds this class: hence the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from agentcompass.benchmarks.config import RuntimeBenchmarkConfig
from agentcompass.runtime.config import config_field
from agentcompass.runtime.metrics import AggregationMode

from agentcompass_websearch.benchmarks.ob_code_websearch.scoring import Policy
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.select import names_of
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import (
    DEFAULT_DATASET,
    FORMS,
    Source,
    parse,
    with_revision,
)
from agentcompass_websearch.errors import UsageError, nearest_name
from agentcompass_websearch.references import expanded


@dataclass(slots=True)
class ObCodeWebsearchConfig(RuntimeBenchmarkConfig):
    """Parameters of ob-code-websearch. Built many times a run: checks names and forms, and opens nothing."""

    sample_ids: list[str] | None = config_field(
        default=None, description="Take only these tickets: an id, a comma list or a list."
    )
    dataset: str = config_field(default=DEFAULT_DATASET, description=f"Where the tickets come from: {FORMS}.")
    revision: str | None = config_field(
        default=None, description="Branch, tag or commit of a Hub dataset; null is its main branch as it is now."
    )
    data_file: str | None = config_field(
        default=None, description="Path of the data file inside a Hub dataset; needed only where it has several."
    )
    needles_file: str | None = config_field(
        default=None,
        description="Reviewed needles {ticket_id: [{needle, kind}]}, a JSON file, for tickets that come without any.",
    )
    docs_vendor: list[str] | None = config_field(
        default=None, description="Take only tickets of these documentation vendors: a name, a comma list or a list."
    )
    judge: Literal["published", "official"] = config_field(
        default="published",
        description="Policy whose verdict is the metric correct: published or official. Both are always computed.",
    )

    def __post_init__(self) -> None:
        self.sample_ids = names_of(self.sample_ids, "sample_ids")
        modes = [mode.value for mode in AggregationMode]
        if self.aggregation_mode not in modes:
            raise UsageError(f"aggregation_mode is {self.aggregation_mode!r}, but must be one of: {', '.join(modes)}")
        RuntimeBenchmarkConfig.__post_init__(self)
        self.docs_vendor = names_of(self.docs_vendor, "docs_vendor")
        if self.judge not in get_args(Policy):
            raise UsageError(f"judge is {self.judge!r}, but must be one of: {', '.join(get_args(Policy))}")
        for name in ("revision", "data_file", "needles_file"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise UsageError(f"{name} is {value!r}, but must be text: quote it")
        self.source()

    @classmethod
    def from_params(cls, params: Mapping[str, Any], *, model: str) -> ObCodeWebsearchConfig:
        """Return the config of benchmark parameters; ``${NAME}`` stands for an environment variable.

        Raises:
            ValueError: a parameter is unknown (the message gives the nearest name) or has a wrong value.
        """
        known = [field.name for field in fields(cls) if field.name != "model"]
        for name in params:
            if name not in known and name != "model":
                near = nearest_name(name, known)
                hint = f"did you mean {near!r}?" if near else f"known are: {', '.join(sorted(known))}"
                raise UsageError(f"ob-code-websearch has no parameter {name!r}; {hint}")
        return cls(**{**expanded(params), "model": model})

    def source(self) -> Source:
        """Return what `dataset` and `revision` name together.

        Raises:
            UsageError: they do not belong together.
        """
        source = parse(self.dataset)
        if self.data_file and source.kind != "hub":
            raise UsageError(f"data_file belongs to a Hub dataset (hf:owner/name), not to {self.dataset}")
        return with_revision(source, self.revision)
