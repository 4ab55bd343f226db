"""``site:`` in queries, for vendors that take the sites to search in a field of their own, and the options for it.

What models write is read tolerantly: ``site:https://www.acme.example/docs/``, ``(site:a.example OR site:b.example)``.
Excluded sites (``-site:``), quoted phrases and what names no domain are left in the query. Takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools import option_checks

_INCLUDE: Final = "include_domains"
_EXCLUDE: Final = "exclude_domains"
_LIFT: Final = "lift_sites"
OPTIONS: Final[Mapping[str, str]] = {
    _INCLUDE: "list of domains that results must come from; `site:` then stays in the query",
    _EXCLUDE: "list of domains that results must not come from; not together with include_domains",
    _LIFT: "false: leave `site:` in the query as the model wrote it (default true: ask the API for that site)",
}
LIFTED: Final = "lifted into the domain filter unless an option forbids it"
"""What `Facts.site_operator` says of a vendor that uses this module."""

_OPERATOR: Final = "site:"
_AROUND: Final = "\"'<>`,;"
_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
_DOMAIN: Final = re.compile(r"\w[\w.-]*\.\w[\w-]*\w")
_MAX_SITE_CHARS: Final = 300


def check(
    options: Mapping[str, Any], family: str, *, most: int | None = None, most_excluded: int | None = None
) -> None:
    """Check the values of the options in `OPTIONS`.

    Args:
        options: ``vendor_options``.
        family: the vendor, for the message.
        most: how many domains may be included, where that is documented.
        most_excluded: the same for those that are excluded.

    Raises:
        UsageError: a list is no list of domains or too long, both lists are given, or `lift_sites` is no boolean.
    """
    option_checks.domains(options, _INCLUDE, family, most=most)
    option_checks.domains(options, _EXCLUDE, family, most=most_excluded)
    option_checks.flag(options, _LIFT, family)
    if options.get(_INCLUDE) and options.get(_EXCLUDE):
        raise UsageError(f"vendor_options of {family}: give {_INCLUDE} or {_EXCLUDE}, not both")


def asked(
    query: str, options: Mapping[str, Any], *, include: str, exclude: str, most: int, paths: bool = False
) -> tuple[str, dict[str, list[str]]]:
    """Return the words to search for, and the vendor's fields for the domains: those of the options, else the query's.

    Args:
        query: what the model asked.
        options: ``vendor_options``; see `OPTIONS`.
        include, exclude: the names of the vendor's fields.
        most: how many domains the vendor takes.
        paths: whether it also takes ``domain/path``; else the path is dropped.
    """
    fields = {include: options.get(_INCLUDE), exclude: options.get(_EXCLUDE)}
    given = {name: list(domains) for name, domains in fields.items() if domains}
    if given or options.get(_LIFT) is False:
        return query, given
    words, sites = lift(query, most=most, paths=paths)
    return words, {include: sites} if sites else {}


def lift(query: str, *, most: int, paths: bool = False) -> tuple[str, list[str]]:
    """Return `query` without its first `most` sites, and these sites. A query of sites alone becomes their names."""
    kept: list[str] = []
    sites: dict[str, None] = {}
    quoted = after_site = False
    for word in query.split():
        site = None if quoted else _site(word, paths)
        quoted ^= word.count('"') % 2 == 1 and site is None
        if site is not None and (site in sites or len(sites) < most):
            if kept and _joins(kept[-1]):
                kept.pop()
            sites[site] = None
            after_site = True
        elif not (after_site and _joins(word)):
            kept.append(word)
            after_site = False
    if not sites:
        return query, []
    return " ".join(kept) or " ".join(sites), list(sites)


def _joins(word: str) -> bool:
    return word in ("OR", "|")


def _site(word: str, paths: bool) -> str | None:
    """Return the site that an operator names, a lower-case domain with its path if `paths`; None for another word."""
    value = word.strip("()")
    if value[: len(_OPERATOR)].lower() != _OPERATOR or len(value) > _MAX_SITE_CHARS:
        return None
    value = _SCHEME.sub("", value[len(_OPERATOR) :].strip(_AROUND), count=1)
    domain, slash, path = value.partition("/")
    domain = domain.lower().removeprefix("*.").removeprefix("www.").strip(".")
    if _DOMAIN.fullmatch(domain) is None:
        return None
    return f"{domain}{slash}{path}".rstrip("/") if paths else domain
