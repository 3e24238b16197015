"""Shared by the programs of the suite: a program reads a task from stdin, runs its steps, and writes a line for each."""

import asyncio
import inspect
import json
import sys
import traceback
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Iterable

from pydantic import BaseModel


@dataclass
class Answer:
    text: str = ""
    #: Tokens, with what was cached.
    input: int | None = None
    #: Tokens, with the reasoning.
    output: int | None = None
    #: The pieces of text that a stream came in.
    pieces: int = 1
    #: The arguments of the tool calls that were executed.
    cities: list[str] = field(default_factory=list)
    person: dict[str, Any] | None = None


class Person(BaseModel):
    """Structured output."""

    name: str
    age: int


class Weather:
    """A tool that remembers what it was asked."""

    def __init__(self) -> None:
        self.cities: list[str] = []

    def report(self, city: str) -> str:
        """The weather of a city.

        Args:
            city: The name of the city.
        """
        self.cities.append(city)
        return f"20 degrees in {city}"


#: The same tool for interfaces that take a JSON Schema.
weather_name = "get_weather"
weather_description = "The weather of a city."
weather_parameters = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def joined(pieces: Iterable[str | None], **known: Any) -> Answer:
    """The answer of a stream's pieces of text."""
    said = [piece for piece in pieces if piece]
    return Answer(text="".join(said), pieces=len(said), **known)


#: Runs a step with the settings, the model's name and the prompt.
Step = Callable[[dict[str, Any], str, str], Any]


def main(interfaces: dict[str, dict[str, Step]]) -> None:
    """Runs the steps of the interface that stdin names. The settings are Python, as the documentation has them."""
    task = json.load(sys.stdin)
    settings: dict[str, Any] = {}
    exec(task["settings"], settings)
    asyncio.run(run(interfaces[task["interface"]], task, settings))


async def run(steps: dict[str, Step], task: dict[str, Any], settings: dict[str, Any]) -> None:
    for name, prompt in task["prompts"].items():
        try:
            found = steps[name](settings, task["model"], prompt)
            answer = await found if inspect.isawaitable(found) else found
            line = {"step": name, **asdict(answer)}
        except Exception as error:
            traceback.print_exc()
            line = {"step": name, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(line), flush=True)
