"""Anthropic's SDK: Messages, and the tool runner."""

from anthropic import beta_tool

from suite import Answer, Person, Weather, joined, main, weather_description, weather_name, weather_parameters

tools = [{"name": weather_name, "description": weather_description, "input_schema": weather_parameters}]


def asked(model, prompt, **more):
    return {"model": model, "max_tokens": 1_000, "messages": [{"role": "user", "content": prompt}], **more}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def counts(usage):
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return {"input": usage.input_tokens + cached, "output": usage.output_tokens}


def plain(settings, model, prompt):
    said = settings["client"].messages.create(**asked(model, prompt))
    return Answer(text_of(said), **counts(said.usage))


def streamed(settings, model, prompt):
    with settings["client"].messages.stream(**asked(model, prompt)) as stream:
        words = list(stream.text_stream)
        usage = stream.get_final_message().usage
    return joined(words, **counts(usage))


def loop(settings, model, prompt, streamed=False):
    weather = Weather()
    request = asked(model, prompt, tools=tools)
    while True:
        said = message(settings["client"], streamed, request)
        if said.stop_reason != "tool_use":
            return Answer(text_of(said), cities=weather.cities)
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": weather.report(**block.input)}
            for block in said.content
            if block.type == "tool_use"
        ]
        request["messages"] += [{"role": "assistant", "content": said.content}, {"role": "user", "content": results}]


def message(client, streamed, request):
    if not streamed:
        return client.messages.create(**request)
    with client.messages.stream(**request) as stream:
        return stream.get_final_message()


def runner(settings, model, prompt):
    weather = Weather()
    tool = beta_tool(weather.report, name=weather_name)
    said = settings["client"].beta.messages.tool_runner(**asked(model, prompt, tools=[tool])).until_done()
    return Answer(text_of(said), cities=weather.cities)


def runner_streamed(settings, model, prompt):
    weather = Weather()
    tool = beta_tool(weather.report, name=weather_name)
    for stream in settings["client"].beta.messages.tool_runner(**asked(model, prompt, tools=[tool]), stream=True):
        said = stream.get_final_message()
    return Answer(text_of(said), cities=weather.cities)


def structured(settings, model, prompt):
    said = settings["client"].messages.parse(**asked(model, prompt), output_format=Person)
    return Answer(person=said.parsed_output.model_dump())


main(
    {
        "messages": {
            "plain": plain,
            "streamed": streamed,
            "tool loop": loop,
            "tool loop, streamed": lambda *task: loop(*task, streamed=True),
            "structured": structured,
        },
        "tool runner": {"tool loop": runner, "tool loop, streamed": runner_streamed},
    }
)
