"""What the stand-in does next, given what has been said: search, read, search again, answer.

A rule of thumb at each step, none of which knows what the right answer is. It prefers the page that shares the rarest
words with the ticket, follows links, reads two to five pages if it may, and believes the page that it likes best.
"""

from __future__ import annotations

from typing import Final

from agentcompass_websearch.sample.stand_in.answer import answer
from agentcompass_websearch.sample.stand_in.conversation import Conversation, Move, Say, Use
from agentcompass_websearch.sample.stand_in.evidence import Candidate, Found, gather
from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.queries import closer_query, detail_query, first_query
from agentcompass_websearch.sample.stand_in.ranking import fit, own_words, ranked, tells_request
from agentcompass_websearch.sample.stand_in.terms import stems

MAX_SEARCHES: Final = 3
CONSIDERED: Final = 6
OBJECTIVE: Final = "the documented request: path, headers, body fields, codes"


def next_move(conversation: Conversation, mood: Mood) -> Move:
    """Return the next move; a function of its arguments alone."""
    found = gather(conversation.exchanges)
    order = ranked(found, conversation.ticket, conversation.starter, mood)
    move = None if conversation.hurry else _look(conversation, found, order, mood)
    return move or Say(answer(conversation, order))


def _look(conversation: Conversation, found: Found, order: list[Candidate], mood: Mood) -> Use | None:
    search, fetch = conversation.tool_with("query"), conversation.tool_with("url")
    if search and found.searches_left != 0:
        query = _query(conversation, found, order, mood, can_fetch=fetch is not None)
        if query is not None:
            return Use(search, {"query": query})
    if fetch and found.fetches_left != 0 and found.fetched < _patience(mood):
        page = _unread(conversation, order)
        if page is not None:
            return Use(fetch, {"url": page.url, "objective": OBJECTIVE})
    return None


def _query(
    conversation: Conversation, found: Found, order: list[Candidate], mood: Mood, *, can_fetch: bool
) -> str | None:
    """Return the next query, or None when searching has done what it can."""
    asked = len(found.queries)
    if asked == 0:
        return first_query(conversation.ticket, mood)
    if asked == 1:
        return closer_query(conversation.ticket, conversation.starter, order, mood)
    if asked < MAX_SEARCHES and order and not can_fetch and not tells_request(order[0], conversation.starter):
        return detail_query(order[0].title)
    return None


def _unread(conversation: Conversation, order: list[Candidate]) -> Candidate | None:
    """Return the page to read next, or None when the best one has been read and is what the ticket asks for."""
    if order and order[0].content and tells_request(order[0], conversation.starter):
        fitting = fit(order[0], stems(own_words(conversation.ticket)))
        if fitting is None or fitting == 1:
            return None
    return next((page for page in order[:CONSIDERED] if not page.content), None)


def _patience(mood: Mood) -> int:
    """Return how many pages to read at the most, from two to five."""
    return 2 + int(4 * mood.number("patience"))
