"""The final answer: the client patched with what the best page documents, or with a guess if nothing is known."""

from __future__ import annotations

import re
from typing import Final

from agentcompass_websearch.sample.stand_in.conversation import Conversation
from agentcompass_websearch.sample.stand_in.evidence import Candidate
from agentcompass_websearch.sample.stand_in.patching import patch
from agentcompass_websearch.sample.stand_in.ranking import own_words
from agentcompass_websearch.sample.stand_in.reading import Documented, read
from agentcompass_websearch.sample.stand_in.terms import words

NOTICE: Final = "Written by scripted-stand-in, a scripted program and not a language model."
_METHOD = re.compile(r"\.(get|post|put|patch|delete)\(\s*[\"'](/[^\"']*)[\"']")
_GUESSED_WORDS = 3


def answer(conversation: Conversation, order: list[Candidate]) -> str:
    """Return the notice and the whole file in one block. `order` are the pages seen, best first."""
    ticket, starter = own_words(conversation.ticket), conversation.starter
    for candidate in order:
        if not candidate.text:
            continue
        code = patch(starter, read(candidate.text), ticket, candidate.url)
        if code is not None:
            return _told(f"It follows {candidate.url}.", code)
    if not starter.strip():
        return f"{NOTICE} There is no code to change."
    code = patch(starter, _guess(ticket, starter), ticket, None)
    return _told("No page with a request was found, so the path is a guess.", code or starter)


def _told(how: str, code: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{NOTICE} {how}\n\n{fence}python\n{code.rstrip()}\n{fence}\n"


def _guess(ticket: str, starter: str) -> Documented:
    """Return an API-looking request made from the ticket's words, as somebody would who has nothing else."""
    sent = _METHOD.search(starter)
    if not sent:
        return Documented()
    name = "-".join(word.lower() for word in list(words(ticket))[3 : 3 + _GUESSED_WORDS])
    return Documented(requests=((sent[1].upper(), f"{sent[2].rstrip('/')}/{name}"),))
