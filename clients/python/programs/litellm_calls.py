"""LiteLLM as a client."""

import json

import litellm

from suite import Answer, Person, Weather, joined, main, weather_description, weather_name, weather_parameters

function = {"name": weather_name, "description": weather_description, "parameters": weather_parameters}
tools = [{"type": "function", "function": function}]


def asked(settings, prompt, **more):
    return litellm.completion(**settings["options"], messages=[{"role": "user", "content": prompt}], **more)


def plain(settings, model, prompt):
    said = asked(settings, prompt)
    return Answer(said.choices[0].message.content, said.usage.prompt_tokens, said.usage.completion_tokens)


def streamed(settings, model, prompt):
    chunks = list(asked(settings, prompt, stream=True, stream_options={"include_usage": True}))
    usage = next(chunk.usage for chunk in reversed(chunks) if getattr(chunk, "usage", None))
    words = (choice.delta.content for chunk in chunks for choice in chunk.choices)
    return joined(words, input=usage.prompt_tokens, output=usage.completion_tokens)


def loop(settings, model, prompt, streamed=False):
    weather = Weather()
    messages = [{"role": "user", "content": prompt}]
    while True:
        said = litellm.completion(**settings["options"], messages=messages, tools=tools, stream=streamed)
        if streamed:
            said = litellm.stream_chunk_builder(list(said), messages=messages)
        message = said.choices[0].message
        if not message.tool_calls:
            return Answer(message.content, cities=weather.cities)
        messages.append(message.model_dump())
        for call in message.tool_calls:
            report = weather.report(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": report})


def structured(settings, model, prompt):
    said = asked(settings, prompt, response_format=Person)
    return Answer(person=json.loads(said.choices[0].message.content))


steps = {
    "plain": plain,
    "streamed": streamed,
    "tool loop": loop,
    "tool loop, streamed": lambda *task: loop(*task, streamed=True),
    "structured": structured,
}
main({"openai": steps, "anthropic": steps, "gemini": steps})
