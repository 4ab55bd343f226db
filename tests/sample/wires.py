"""Clients of the stand-in's three wires: what they say is the same, how it is written is the wire's own."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from tests.sample.engine import SYSTEM

MODEL = "scripted-stand-in"


def schema(parameters: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in parameters}}


class Wire(ABC):
    """A client of one wire: the conversation so far, and how its parts are written there."""

    path: str

    def __init__(self, task: str, tools: Mapping[str, list[str]]) -> None:
        self.body: dict[str, Any] = {"model": MODEL, **self.opening(task)}
        if tools:
            self.body["tools"] = [self.tool(name, schema(parameters)) for name, parameters in tools.items()]

    @abstractmethod
    def opening(self, task: str) -> dict[str, Any]: ...

    @abstractmethod
    def tool(self, name: str, schema: dict[str, Any]) -> dict[str, Any]: ...

    @abstractmethod
    def move(self, response: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | str:
        """Remember the response; return its call (id, name, arguments) or its text."""

    @abstractmethod
    def reply(self, call_id: str, content: str) -> None: ...

    @abstractmethod
    def say(self, text: str) -> None: ...


class Chat(Wire):
    path = "/v1/chat/completions"

    def opening(self, task: str) -> dict[str, Any]:
        return {"messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task}]}

    def tool(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "function", "function": {"name": name, "parameters": schema}}

    def move(self, response: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | str:
        (choice,) = response["choices"]
        self.body["messages"].append(choice["message"])
        if choice["finish_reason"] == "stop":
            return str(choice["message"]["content"])
        (call,) = choice["message"]["tool_calls"]
        return call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])

    def reply(self, call_id: str, content: str) -> None:
        self.body["messages"].append({"role": "tool", "tool_call_id": call_id, "content": content})

    def say(self, text: str) -> None:
        self.body["messages"].append({"role": "user", "content": text})


class Responses(Wire):
    path = "/v1/responses"

    def opening(self, task: str) -> dict[str, Any]:
        return {"instructions": SYSTEM, "input": [{"role": "user", "content": task}], "store": False}

    def tool(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "function", "name": name, "parameters": schema}

    def move(self, response: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | str:
        (item,) = response["output"]
        self.body["input"].append(item)
        if item["type"] == "message":
            return str(item["content"][0]["text"])
        return item["call_id"], item["name"], json.loads(item["arguments"])

    def reply(self, call_id: str, content: str) -> None:
        self.body["input"].append({"type": "function_call_output", "call_id": call_id, "output": content})

    def say(self, text: str) -> None:
        self.body["input"].append({"role": "user", "content": text})


class Messages(Wire):
    path = "/v1/messages"

    def opening(self, task: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": [{"type": "text", "text": task}]}]
        return {"max_tokens": 4000, "system": [{"type": "text", "text": SYSTEM}], "messages": messages}

    def tool(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"name": name, "input_schema": schema}

    def move(self, response: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | str:
        (block,) = response["content"]
        self.body["messages"].append({"role": "assistant", "content": [block]})
        if response["stop_reason"] == "end_turn":
            return str(block["text"])
        return block["id"], block["name"], block["input"]

    def reply(self, call_id: str, content: str) -> None:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        self.body["messages"].append({"role": "user", "content": [block]})

    def say(self, text: str) -> None:
        block = {"type": "text", "text": text}
        last = self.body["messages"][-1]
        if last["role"] == "user":
            last["content"].append(block)
        else:
            self.body["messages"].append({"role": "user", "content": [block]})
