import { sdks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";

/** Google's Gen AI SDK for Python, with its automatic function calling. */
export const client = pythonClient({
  name: "google-genai",
  title: "Google Gen AI SDK for Python",
  environment: sdks,
  main: "google-genai",
  program: "google_sdk.py",
  heading: "Google Gen AI SDK for Python",
  interfaces: [{ name: "generateContent", settings: "python", steps: allSteps }],
});
