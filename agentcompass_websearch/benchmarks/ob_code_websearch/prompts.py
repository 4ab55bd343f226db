"""What the model is told: the ticket, its file, and in plain words the rules by which the answer is judged.

A rule that the model was never told would measure luck. So every system prompt states all rules that apply to it, and
an answer that follows them to the letter passes the judge, under either policy.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import digest
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.records import Board

PROMPT_VERSION: Final = 1

MODEL_DEFAULTS: Final[dict[str, Any]] = {"max_output_tokens": 4000}
"""Model settings of the benchmark, used where the user sets none."""

_TASK = """\
You maintain a small Python client for a vendor's web API. You are given a product ticket and the client's current \
file. Change the file so that it does what the ticket asks, in the way that the vendor's current official \
documentation describes.
"""

_SEARCH_FIRST = """\
The ticket leaves out the exact technical names that the change needs, such as API paths, header names, parameters, \
fields, functions or imports. The documentation has them, often beside others that look much alike."""

_SEARCH_ONLY = f"""
How to work
- {_SEARCH_FIRST} Search for them first, with web_search, and do not trust your memory.
- web_search returns pages as url, title and snippet. You cannot open the pages: what a snippet says is enough. Ask \
again in other words if the snippets do not settle it.
- The number of searches is limited. Each reply says how many are left.
"""

_SEARCH_FETCH = f"""
How to work
- {_SEARCH_FIRST} Search for them first, with web_search, and do not trust your memory.
- web_search returns pages as url, title and snippet. web_fetch returns the text of one page: read a page with it when \
its snippet does not settle the matter.
- The numbers of searches and of fetches are limited. Each reply says how many are left.
"""

_NO_SEARCH = f"""
How to work
- {_SEARCH_FIRST} You cannot look anything up here: write the names that you know or think most likely. Always hand \
in a complete file.
"""

_ANY_TOOLS = f"""
How to work
- {_SEARCH_FIRST} Search for them first, with the web search and page reading tools that you have, and do not trust \
your memory.
"""

_HAND_IN = """
What to hand in (a program checks it)
- Change as little as needed, and keep the rest of the file as it is.
- Answer with the complete file, not with a diff and not with parts left out, in exactly one code block: a line \
```python, the file, a line ```. Write nothing after that block.
- The file must compile.
- Spell each documented name exactly as the documentation does, upper and lower case included, and keep it in one \
piece: one string literal or one identifier, never put together from parts. In a path, what varies may be an \
f-string's {variable}; the rest of the path stays in that one literal.
"""

_CITE = """\
- Directly above each statement that uses a documented name, put a comment line of its own, # source: URL, with one \
URL, and no blank line between comment and statement. Do so above every such statement, also if several of them rest \
on the same page; if one statement rests on several pages, put one comment line for each page above it.
- {which}
"""

_CITE_SEARCH_ONLY = _CITE.format(
    which="Copy the URL exactly from the url field of a search result that came back in this task. Any other URL does "
    "not count, not even a right one."
)
_CITE_SEARCH_FETCH = _CITE.format(
    which="Copy the URL exactly from the url field of a search result that came back in this task, or from a page that "
    "you fetched in this task. Any other URL does not count, not even a right one, nor a link that you only saw inside "
    "a page."
)
_CITE_ANY_TOOLS = _CITE.format(
    which="Copy the URL exactly from a search result that came back in this task, or from a page that you read in this "
    "task. Any other URL does not count, not even a right one, nor a link that you only saw inside a page."
)
_NO_CITE = """\
- Comments that name a source are not needed.
"""

SYSTEM_PROMPTS: Final[dict[Board, str]] = {
    "search-only": _TASK + _SEARCH_ONLY + _HAND_IN + _CITE_SEARCH_ONLY,
    "search-fetch": _TASK + _SEARCH_FETCH + _HAND_IN + _CITE_SEARCH_FETCH,
    "no-search": _TASK + _NO_SEARCH + _HAND_IN + _NO_CITE,
}
"""The system prompt of each board."""

NEUTRAL_PROMPT: Final = _TASK + _ANY_TOOLS + _HAND_IN + _CITE_ANY_TOOLS
"""The system prompt for a harness with tools of its own."""

_USER = """\
{ticket}

The current file, {outfile}:

{fence}python
{starter}
{fence}
"""

PROMPT_HASH: Final = digest([PROMPT_VERSION, SYSTEM_PROMPTS, NEUTRAL_PROMPT, _USER, MODEL_DEFAULTS])
"""Changes with every word of the prompts; part of the fingerprint."""

_SENDS_SYSTEM_PROMPT: Final = frozenset({"coding_agent", "openclaw"})
_TAKES_MESSAGES: Final = frozenset({"openai_chat"})


def user_prompt(ticket: Ticket) -> str:
    """Return the ticket's words and its starter in one fenced block, or its whole prompt where it came with one."""
    if ticket.holds_starter:
        return ticket.text
    longest = max((len(run) for run in re.findall("`+", ticket.starter)), default=0)
    return _USER.format(
        ticket=ticket.text.strip(),
        outfile=ticket.outfile,
        fence="`" * max(3, longest + 1),
        starter=ticket.starter.rstrip("\n"),
    )


def prompts_for(ticket: Ticket, harness_id: str) -> tuple[str, str | None]:
    """Return user prompt and system prompt in the form that a harness of the host sends on to its model.

    Most of them send the user prompt alone: there the rules stand at its head. ``openai_chat`` takes a JSON list of
    messages.
    """
    user = user_prompt(ticket)
    if harness_id in _SENDS_SYSTEM_PROMPT:
        return user, NEUTRAL_PROMPT
    if harness_id in _TAKES_MESSAGES:
        messages = [{"role": "system", "content": NEUTRAL_PROMPT}, {"role": "user", "content": user}]
        return json.dumps(messages, ensure_ascii=False), None
    return f"{NEUTRAL_PROMPT}\n{user}", None
