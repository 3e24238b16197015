"""pydantic-ai's agent with the models of three vendors."""

from pydantic_ai import Agent, Tool

from suite import Answer, Person, Weather, joined, main


async def plain(settings, model, prompt):
    said = await Agent(settings["model"]).run(prompt)
    return Answer(said.output, **counts(said))


def counts(said):
    usage = said.usage() if callable(said.usage) else said.usage
    return {"input": usage.input_tokens, "output": usage.output_tokens}


async def streamed(settings, model, prompt):
    async with Agent(settings["model"]).run_stream(prompt) as said:
        words = [piece async for piece in said.stream_text(delta=True, debounce_by=None)]
        return joined(words, **counts(said))


def with_tool(settings):
    weather = Weather()
    return weather, Agent(settings["model"], tools=[Tool(weather.report, name="get_weather")])


async def loop(settings, model, prompt):
    weather, agent = with_tool(settings)
    said = await agent.run(prompt)
    return Answer(said.output, cities=weather.cities)


async def loop_streamed(settings, model, prompt):
    weather, agent = with_tool(settings)
    async with agent.run_stream(prompt) as said:
        words = [piece async for piece in said.stream_text(delta=True, debounce_by=None)]
    return joined(words, cities=weather.cities)


async def structured(settings, model, prompt):
    """pydantic-ai asks for structured output by a tool of its own, which the provider has to call."""
    said = await Agent(settings["model"], output_type=Person).run(prompt)
    return Answer(person=said.output.model_dump())


steps = {
    "plain": plain,
    "streamed": streamed,
    "tool loop": loop,
    "tool loop, streamed": loop_streamed,
    "structured": structured,
}
main({name: steps for name in ("OpenAIChatModel", "OpenAIResponsesModel", "AnthropicModel", "GoogleModel")})
