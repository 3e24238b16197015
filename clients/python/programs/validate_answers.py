"""Validates answers of the gateway with the pydantic models of the vendors' SDKs.

Reads one answer a line, `{"kind": "whole" or "event", "value": ...}`, and writes each problem once, with the shortest
value that has it. The SDKs themselves build their models with `construct`, which validates nothing.
"""

import json
import sys
from typing import Any, Iterator

from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.beta import BetaMessage, BetaRawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter, ValidationError

google = TypeAdapter(GenerateContentResponse)
models: dict[str, dict[str, list[TypeAdapter]]] = {
    "openai-chat": {"whole": [TypeAdapter(ChatCompletion)], "event": [TypeAdapter(ChatCompletionChunk)]},
    "openai-responses": {"whole": [TypeAdapter(Response)], "event": [TypeAdapter(ResponseStreamEvent)]},
    "anthropic-messages": {
        "whole": [TypeAdapter(Message), TypeAdapter(BetaMessage)],
        "event": [TypeAdapter(RawMessageStreamEvent), TypeAdapter(BetaRawMessageStreamEvent)],
    },
    "gemini": {"whole": [google], "event": [google]},
}


def main(dialect: str) -> None:
    adapters = models[dialect]
    found: dict[str, Any] = {}
    count = 0
    for line in sys.stdin:
        answer = json.loads(line)
        count += 1
        for adapter in adapters[answer["kind"]]:
            for problem in problems_of(adapter, answer["value"]):
                if problem not in found or len(str(answer["value"])) < len(str(found[problem])):
                    found[problem] = answer["value"]
    for problem, value in found.items():
        print(json.dumps({"problem": problem, "value": value}))
    print(json.dumps({"validated": count}))


def problems_of(adapter: TypeAdapter, value: Any) -> Iterator[str]:
    # Google's models forbid unknown members, and take no times in strict mode.
    strict = adapter is not google
    try:
        validated = adapter.validate_json(json.dumps(value, ensure_ascii=False), strict=strict)
    except ValidationError as error:
        yield from failures(error, value)
    else:
        yield from unknown_members(validated)


def failures(error: ValidationError, value: Any) -> Iterator[str]:
    """The errors, without those of the members of a union that have another type than the value."""
    errors = error.errors(include_url=False, include_input=False)
    others = {e["loc"][:-1] for e in errors if e["type"] == "literal_error" and e["loc"][-1] in ("type", "role")}
    own = [e for e in errors if not any(e["loc"][: len(other)] == other for other in others)]
    for e in own or errors:
        yield f"{path(e['loc'])}: {e['msg']}"


def path(location: tuple[Any, ...]) -> str:
    return ".".join(str(step) for step in location if not isinstance(step, int))


def unknown_members(value: Any, where: str = "") -> Iterator[str]:
    """Members that the models let pass without knowing them."""
    if isinstance(value, BaseModel):
        name = type(value).__name__
        for member in value.model_extra or {}:
            yield f"{name}.{member}: unknown member"
        for member in value.model_fields_set:
            yield from unknown_members(getattr(value, member, None), name)
    elif isinstance(value, list):
        for item in value:
            yield from unknown_members(item, where)


main(sys.argv[1])
