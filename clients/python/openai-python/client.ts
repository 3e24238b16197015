import { sdks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";

/** OpenAI's SDK for Python. */
export const client = pythonClient({
  name: "openai-python",
  title: "OpenAI SDK for Python",
  environment: sdks,
  main: "openai",
  program: "openai_sdk.py",
  heading: "OpenAI SDK for Python",
  interfaces: [
    { name: "chat", settings: "python", steps: allSteps },
    { name: "responses", settings: "python", steps: allSteps },
  ],
});
