import { frameworks } from "../environment.ts";
import { allSteps, pythonClient, stepsInWords } from "../program.ts";

/** LiteLLM's library, which speaks the dialect of each provider. */
export const client = pythonClient({
  name: "litellm",
  title: "LiteLLM",
  environment: frameworks,
  main: "litellm",
  program: "litellm_calls.py",
  heading: "LiteLLM",
  interfaces: [
    { name: "openai", settings: "openai", steps: allSteps },
    { name: "anthropic", settings: "anthropic", steps: allSteps },
    // LiteLLM asks Gemini's models for JSON in words, unless it knows the model's name.
    { name: "gemini", settings: "gemini", steps: stepsInWords },
  ],
});
