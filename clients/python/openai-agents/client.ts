import { sdks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";

/** OpenAI's Agents SDK. */
export const client = pythonClient({
  name: "openai-agents",
  title: "OpenAI Agents SDK",
  environment: sdks,
  main: "openai-agents",
  program: "openai_agents_sdk.py",
  heading: "OpenAI Agents SDK",
  interfaces: ["OpenAIResponsesModel", "OpenAIChatCompletionsModel"].map((name) => ({
    name,
    settings: name,
    steps: allSteps,
  })),
});
