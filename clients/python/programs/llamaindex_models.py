"""LlamaIndex's models, and its agent."""

from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool

from suite import Answer, Person, Weather, joined, main


def counts(raw):
    usage = raw["usage"] if isinstance(raw, dict) else raw.usage
    usage = usage if isinstance(usage, dict) else usage.model_dump()
    if "prompt_tokens" in usage:
        return {"input": usage["prompt_tokens"], "output": usage["completion_tokens"]}
    cached = usage.get("cache_read_input_tokens") or 0
    return {"input": usage["input_tokens"] + cached, "output": usage["output_tokens"]}


def plain(settings, model, prompt):
    said = settings["llm"].chat([ChatMessage(prompt)])
    return Answer(said.message.content, **counts(said.raw))


def streamed(settings, model, prompt):
    return joined(chunk.delta for chunk in settings["llm"].stream_chat([ChatMessage(prompt)]))


async def loop(settings, model, prompt, streamed=False):
    weather = Weather()
    tool = FunctionTool.from_defaults(weather.report, name="get_weather")
    agent = FunctionAgent(tools=[tool], llm=settings["llm"], system_prompt="Be brief.", streaming=streamed)
    run = agent.run(prompt)
    words = [event.delta async for event in run.stream_events() if isinstance(event, AgentStream)]
    said = str(await run)
    return joined(words, cities=weather.cities) if streamed else Answer(said, cities=weather.cities)


def structured(settings, model, prompt):
    return Answer(person=settings["llm"].as_structured_llm(Person).chat([ChatMessage(prompt)]).raw.model_dump())


steps = {
    "plain": plain,
    "streamed": streamed,
    "tool loop": loop,
    "tool loop, streamed": lambda *task: loop(*task, streamed=True),
    "structured": structured,
}
main({name: steps for name in ("OpenAILike", "OpenAIResponses", "Anthropic")})
