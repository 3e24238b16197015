import { frameworks } from "../environment.ts";
import { allSteps, pythonClient, stepsInWords } from "../program.ts";

/** LlamaIndex's models, and its agent. */
export const client = pythonClient({
  name: "llamaindex",
  title: "LlamaIndex",
  environment: frameworks,
  main: "llama-index-core",
  program: "llamaindex_models.py",
  heading: "LlamaIndex",
  interfaces: [
    { name: "OpenAILike", settings: "OpenAILike", steps: allSteps },
    { name: "OpenAIResponses", settings: "OpenAIResponses", steps: allSteps },
    // LlamaIndex leaves it to Anthropic's models whether they call the tool that would hold the structured output.
    { name: "Anthropic", settings: "Anthropic", steps: stepsInWords },
  ],
});
