import { sdks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";

/** Anthropic's SDK for Python, with its tool runner. */
export const client = pythonClient({
  name: "anthropic-python",
  title: "Anthropic SDK for Python",
  environment: sdks,
  main: "anthropic",
  program: "anthropic_sdk.py",
  heading: "Anthropic SDK for Python",
  interfaces: [
    { name: "messages", settings: "python", steps: allSteps },
    {
      name: "tool runner",
      settings: "python",
      steps: ["tool loop", "tool loop, streamed"],
      // Each run first asks for a thread, which only Anthropic keeps.
      refused: { "openai-chat": 2, "openai-responses": 2, gemini: 2 },
    },
  ],
});
