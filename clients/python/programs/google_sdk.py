"""Google's Gen AI SDK, which runs Python functions as tools itself."""

from google.genai import types

from suite import Answer, Person, Weather, joined, main


def counts(usage):
    return {"input": usage.prompt_token_count, "output": usage.candidates_token_count + (usage.thoughts_token_count or 0)}


def plain(settings, model, prompt):
    said = settings["client"].models.generate_content(model=model, contents=prompt)
    return Answer(said.text, **counts(said.usage_metadata))


def streamed(settings, model, prompt):
    chunks = list(settings["client"].models.generate_content_stream(model=model, contents=prompt))
    return joined((chunk.text for chunk in chunks), **counts(chunks[-1].usage_metadata))


def with_tool(weather):
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return weather.report(city)

    return types.GenerateContentConfig(tools=[get_weather])


def loop(settings, model, prompt):
    weather = Weather()
    said = settings["client"].models.generate_content(model=model, contents=prompt, config=with_tool(weather))
    return Answer(said.text, cities=weather.cities)


def loop_streamed(settings, model, prompt):
    weather = Weather()
    config = with_tool(weather)
    chunks = list(settings["client"].models.generate_content_stream(model=model, contents=prompt, config=config))
    parts = [part for chunk in chunks if chunk.candidates for part in chunk.candidates[0].content.parts or []]
    return joined((part.text for part in parts), cities=weather.cities)


def structured(settings, model, prompt):
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Person)
    said = settings["client"].models.generate_content(model=model, contents=prompt, config=config)
    return Answer(person=said.parsed.model_dump())


main(
    {
        "generateContent": {
            "plain": plain,
            "streamed": streamed,
            "tool loop": loop,
            "tool loop, streamed": loop_streamed,
            "structured": structured,
        }
    }
)
