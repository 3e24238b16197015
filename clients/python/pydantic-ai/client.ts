import { frameworks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";

/** pydantic-ai's agent. */
export const client = pythonClient({
  name: "pydantic-ai",
  title: "pydantic-ai",
  environment: frameworks,
  main: "pydantic-ai-slim",
  program: "pydantic_ai_agent.py",
  heading: "pydantic-ai",
  interfaces: ["OpenAIChatModel", "OpenAIResponsesModel", "AnthropicModel", "GoogleModel"].map((name) => ({
    name,
    settings: name,
    steps: allSteps,
  })),
});
