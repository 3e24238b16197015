"""OpenAI's Agents SDK, which runs the tools itself."""

from agents import Agent, ModelSettings, Runner, function_tool

from suite import Answer, Person, Weather, joined, main


def agent(settings, **options):
    # Over Chat Completions, the SDK asks only OpenAI for the usage of streams unless it is told to.
    with_usage = ModelSettings(include_usage=True)
    return Agent(
        name="Forecaster", instructions="Be brief.", model=settings["model"], model_settings=with_usage, **options
    )


async def plain(settings, model, prompt):
    said = await Runner.run(agent(settings), prompt)
    usage = said.context_wrapper.usage
    return Answer(said.final_output, usage.input_tokens, usage.output_tokens)


async def streamed(settings, model, prompt):
    run = Runner.run_streamed(agent(settings), prompt)
    words = await text_deltas(run)
    usage = run.context_wrapper.usage
    return joined(words, input=usage.input_tokens, output=usage.output_tokens)


async def text_deltas(run):
    return [
        event.data.delta
        async for event in run.stream_events()
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
    ]


async def loop(settings, model, prompt):
    weather = Weather()
    tool = function_tool(weather.report, name_override="get_weather")
    said = await Runner.run(agent(settings, tools=[tool]), prompt)
    return Answer(said.final_output, cities=weather.cities)


async def loop_streamed(settings, model, prompt):
    weather = Weather()
    tool = function_tool(weather.report, name_override="get_weather")
    run = Runner.run_streamed(agent(settings, tools=[tool]), prompt)
    words = await text_deltas(run)
    return joined(words, cities=weather.cities)


async def structured(settings, model, prompt):
    said = await Runner.run(agent(settings, output_type=Person), prompt)
    return Answer(person=said.final_output.model_dump())


steps = {
    "plain": plain,
    "streamed": streamed,
    "tool loop": loop,
    "tool loop, streamed": loop_streamed,
    "structured": structured,
}
main({name: steps for name in ("OpenAIResponsesModel", "OpenAIChatCompletionsModel")})
