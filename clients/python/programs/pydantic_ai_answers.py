"""Has pydantic-ai read answers of the gateway, which it validates with models of its own.

Reads one answer a line, `{"kind": "whole" or "stream", "value": the body}`, and writes each problem once, with the
shortest body that has it.
"""

import asyncio
import json
import sys
import traceback

import httpx
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider


class Answers:
    """A server that gives each request the same answer."""

    body = ""
    content_type = ""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": self.content_type}, content=self.body.encode())


def model_of(dialect: str, answers: Answers) -> Model:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answers))
    options = {"base_url": "http://127.0.0.1:9", "api_key": "none"}
    if dialect == "anthropic-messages":
        return AnthropicModel("m", provider=AnthropicProvider(anthropic_client=AsyncAnthropic(http_client=http, **options)))
    if dialect == "gemini":
        return GoogleModel("m", provider=GoogleProvider(http_client=http, **options))
    openai = OpenAIProvider(openai_client=AsyncOpenAI(http_client=http, **options))
    return OpenAIChatModel("m", provider=openai) if dialect == "openai-chat" else OpenAIResponsesModel("m", provider=openai)


async def read(model: Model, kind: str) -> None:
    messages = [ModelRequest.user_text_prompt("Hi")]
    parameters = ModelRequestParameters()
    if kind == "whole":
        await model.request(messages, None, parameters)
        return
    async with model.request_stream(messages, None, parameters) as stream:
        async for _ in stream:
            pass
        stream.get()


async def main(dialect: str) -> None:
    answers = Answers()
    model = model_of(dialect, answers)
    found: dict[str, str] = {}
    count = 0
    for line in sys.stdin:
        answer = json.loads(line)
        count += 1
        answers.body = answer["value"]
        answers.content_type = "application/json" if answer["kind"] == "whole" else "text/event-stream"
        try:
            await read(model, answer["kind"])
        except Exception as error:
            problem = problem_of(error)
            if problem not in found:
                traceback.print_exc()
            if problem not in found or len(answers.body) < len(found[problem]):
                found[problem] = answers.body
    for problem, value in found.items():
        print(json.dumps({"problem": problem, "value": value}))
    print(json.dumps({"validated": count}))


def problem_of(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


asyncio.run(main(sys.argv[1]))
