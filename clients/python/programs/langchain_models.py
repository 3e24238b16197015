"""LangChain's chat models of three vendors."""

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

from suite import Answer, Person, Weather, joined, main


def plain(settings, model, prompt):
    said = settings["model"].invoke(prompt)
    return Answer(said.text, said.usage_metadata["input_tokens"], said.usage_metadata["output_tokens"])


def streamed(settings, model, prompt):
    chunks = list(settings["model"].stream(prompt))
    whole = sum(chunks[1:], chunks[0])
    usage = whole.usage_metadata
    return joined((chunk.text for chunk in chunks), input=usage["input_tokens"], output=usage["output_tokens"])


def loop(settings, model, prompt, streamed=False):
    weather = Weather()

    @tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return weather.report(city)

    bound = settings["model"].bind_tools([get_weather])
    messages = [HumanMessage(prompt)]
    while True:
        said = whole_of(bound, messages) if streamed else bound.invoke(messages)
        if not said.tool_calls:
            return Answer(said.text, cities=weather.cities)
        messages.append(said)
        for call in said.tool_calls:
            messages.append(ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"]))


def whole_of(model, messages):
    chunks = list(model.stream(messages))
    return sum(chunks[1:], chunks[0])


def structured(settings, model, prompt):
    return Answer(person=settings["model"].with_structured_output(Person).invoke(prompt).model_dump())


steps = {
    "plain": plain,
    "streamed": streamed,
    "tool loop": loop,
    "tool loop, streamed": lambda *task: loop(*task, streamed=True),
    "structured": structured,
}
main({name: steps for name in ("ChatOpenAI", "use_responses_api", "ChatAnthropic", "ChatGoogleGenerativeAI")})
