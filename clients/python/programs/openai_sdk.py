"""OpenAI's SDK: Chat Completions and Responses."""

import json

from suite import Answer, Person, Weather, joined, main, weather_description, weather_name, weather_parameters

weather_function = {"name": weather_name, "description": weather_description, "parameters": weather_parameters}
chat_tools = [{"type": "function", "function": weather_function}]
responses_tools = [{"type": "function", "strict": True, **weather_function}]


def chat_plain(settings, model, prompt):
    said = settings["client"].chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
    return Answer(said.choices[0].message.content, said.usage.prompt_tokens, said.usage.completion_tokens)


def chat_streamed(settings, model, prompt):
    stream = settings["client"].chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": prompt}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    usage = chunks[-1].usage
    words = (choice.delta.content for chunk in chunks for choice in chunk.choices)
    return joined(words, input=usage.prompt_tokens, output=usage.completion_tokens)


def chat_loop(settings, model, prompt, streamed=False):
    weather = Weather()
    messages = [{"role": "user", "content": prompt}]
    while True:
        said = chat_message(settings["client"], streamed, model=model, messages=messages, tools=chat_tools)
        if not said.tool_calls:
            return Answer(said.content, cities=weather.cities)
        messages.append(said)
        for call in said.tool_calls:
            report = weather.report(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": report})


def chat_message(client, streamed, **request):
    if not streamed:
        return client.chat.completions.create(**request).choices[0].message
    with client.chat.completions.stream(**request) as stream:
        return stream.get_final_completion().choices[0].message


def chat_structured(settings, model, prompt):
    said = settings["client"].chat.completions.parse(
        model=model, messages=[{"role": "user", "content": prompt}], response_format=Person
    )
    return Answer(person=said.choices[0].message.parsed.model_dump())


def responses_plain(settings, model, prompt):
    said = settings["client"].responses.create(model=model, input=prompt)
    return Answer(said.output_text, said.usage.input_tokens, said.usage.output_tokens)


def responses_streamed(settings, model, prompt):
    with settings["client"].responses.stream(model=model, input=prompt) as stream:
        words = [event.delta for event in stream if event.type == "response.output_text.delta"]
        usage = stream.get_final_response().usage
    return joined(words, input=usage.input_tokens, output=usage.output_tokens)


def responses_loop(settings, model, prompt, streamed=False):
    """Goes on from the stored response, as the SDK's own examples do."""
    weather = Weather()
    request = {"input": prompt}
    while True:
        said = response(settings["client"], streamed, model=model, tools=responses_tools, **request)
        calls = [item for item in said.output if item.type == "function_call"]
        if not calls:
            return Answer(said.output_text, cities=weather.cities)
        results = [
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": weather.report(**json.loads(call.arguments)),
            }
            for call in calls
        ]
        request = {"input": results, "previous_response_id": said.id}


def response(client, streamed, **request):
    if not streamed:
        return client.responses.create(**request)
    with client.responses.stream(**request) as stream:
        return stream.get_final_response()


def responses_structured(settings, model, prompt):
    said = settings["client"].responses.parse(model=model, input=prompt, text_format=Person)
    return Answer(person=said.output_parsed.model_dump())


main(
    {
        "chat": {
            "plain": chat_plain,
            "streamed": chat_streamed,
            "tool loop": chat_loop,
            "tool loop, streamed": lambda *task: chat_loop(*task, streamed=True),
            "structured": chat_structured,
        },
        "responses": {
            "plain": responses_plain,
            "streamed": responses_streamed,
            "tool loop": responses_loop,
            "tool loop, streamed": lambda *task: responses_loop(*task, streamed=True),
            "structured": responses_structured,
        },
    }
)
