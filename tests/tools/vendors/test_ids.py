"""What each vendor id stands for: the ids, boards, prices and keys that boards and users rely on."""

from __future__ import annotations

import pytest

from agentcompass_websearch import plugins

ONLY = ("search-only",)
FETCH = ("search-fetch",)
BOTH = ("search-fetch", "search-only")

IDS = {
    "brave": (ONLY, 0.005, None),
    "ddgs": (ONLY, 0.0, 0.0),
    "exa_instant": (ONLY, 0.007, 0.001),
    "exa_fast": (ONLY, 0.007, 0.001),
    "exa_auto": (FETCH, 0.007, 0.001),
    "exa_deep": (FETCH, 0.012, 0.001),
    "exa_lite": (ONLY, 0.004, 0.001),
    "firecrawl": (BOTH, 0.005, 0.0025),
    "google_cse": (ONLY, 0.005, None),
    "jina": (BOTH, None, None),
    "kagi": (ONLY, 0.012, None),
    "keenable_pro": (ONLY, None, None),
    "keenable_realtime": (ONLY, None, None),
    "linkup_flash": (ONLY, 0.005, 0.005),
    "linkup_fast": (ONLY, 0.005, 0.005),
    "linkup_standard": (FETCH, 0.005, 0.005),
    "nimble_lite": (BOTH, 0.0011, None),
    "nimble_standard": (BOTH, 0.005, None),
    "parallel_turbo": (ONLY, 0.001, 0.001),
    "parallel_fast": (ONLY, 0.001, 0.001),
    "parallel_basic": (FETCH, 0.005, 0.001),
    "parallel_advanced": (FETCH, 0.005, 0.001),
    "perplexity_fast": (ONLY, 0.001, 0.005),
    "perplexity_low": (ONLY, 0.005, 0.005),
    "perplexity_high": (FETCH, 0.005, 0.005),
    "searchapi": (ONLY, None, None),
    "searxng": (ONLY, 0.0, None),
    "serpapi": (ONLY, None, None),
    "serper": (ONLY, 0.001, None),
    "string": (BOTH, None, None),
    "tavily_ultra_fast": (ONLY, 0.008, 0.0016),
    "tavily_fast": (ONLY, 0.008, 0.0016),
    "tavily_basic": (FETCH, 0.008, 0.0016),
    "tavily_advanced": (FETCH, 0.016, 0.0032),
    "tinyfish": (BOTH, 0.0, 0.0),
    "valyu": (BOTH, None, None),
    "you": (BOTH, 0.005, 0.001),
    "you_highlights": (BOTH, 0.005, 0.001),
    "you_highlights_core": (BOTH, 0.005, 0.001),
}

NO_FETCH = (
    *("brave", "google_cse", "kagi", "keenable_pro", "keenable_realtime"),
    *("searchapi", "searxng", "serpapi"),
)

ALIASES = {
    "exa": "exa_auto",
    "keenable": "keenable_pro",
    "linkup": "linkup_fast",
    "nimble": "nimble_standard",
    "parallel": "parallel_advanced",
    "perplexity": "perplexity_high",
    "tavily": "tavily_fast",
}

KEYS = {
    "brave": ("BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"),
    "ddgs": (),
    "exa": ("EXA_API_KEY",),
    "firecrawl": ("FIRECRAWL_API_KEY",),
    "google_cse": ("GOOGLE_CSE_API_KEY", "GOOGLE_API_KEY"),
    "jina": ("JINA_API_KEY",),
    "kagi": ("KAGI_API_KEY",),
    "keenable": ("KEENABLE_API_KEY",),
    "linkup": ("LINKUP_API_KEY",),
    "nimble": ("NIMBLE_API_KEY",),
    "parallel": ("PARALLEL_API_KEY",),
    "perplexity": ("PERPLEXITY_API_KEY", "PERPLEXITY_API"),
    "searchapi": ("SEARCHAPI_API_KEY",),
    "searxng": (),
    "serpapi": ("SERPAPI_API_KEY", "SERP_API_KEY"),
    "serper": ("SERPER_API_KEY",),
    "string": ("STRING_AI_API_KEY", "STRING_API_KEY"),
    "tavily": ("TAVILY_API_KEY",),
    "tinyfish": ("TINYFISH_API_KEY", "TINYFISH_KEY"),
    "valyu": ("VALYU_API_KEY",),
    "you": ("YDC_API_KEY", "YOU_API_KEY_AUTH", "YOU_API_KEY", "YOU_KEY"),
}


@pytest.mark.parametrize("vendor_id", IDS)
def test_boards_and_list_prices(vendor_id: str) -> None:
    vendor, mode = plugins.resolve(vendor_id)
    assert vendor.vendor_id(mode.name) == vendor_id
    assert (mode.home_boards, mode.price.search_usd, mode.price.fetch_usd) == IDS[vendor_id]
    assert mode.operations == ({"search"} if vendor_id in NO_FETCH else {"search", "fetch"})


@pytest.mark.parametrize("family", KEYS)
def test_a_family_has_these_ids_and_no_other(family: str) -> None:
    vendor = plugins.load(family)
    assert vendor.key_vars == KEYS[family]
    assert set(vendor.vendor_ids()) == {name for name in IDS if name == family or name.startswith(f"{family}_")}


@pytest.mark.parametrize(("alias", "vendor_id"), ALIASES.items())
def test_a_bare_family_is_its_default_mode(alias: str, vendor_id: str) -> None:
    vendor, mode = plugins.resolve(alias)
    assert vendor.vendor_id(mode.name) == vendor_id
