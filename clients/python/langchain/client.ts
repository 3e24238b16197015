import { frameworks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";

/** LangChain's chat models. */
export const client = pythonClient({
  name: "langchain",
  title: "LangChain",
  environment: frameworks,
  main: "langchain-core",
  program: "langchain_models.py",
  heading: "LangChain",
  interfaces: ["ChatOpenAI", "use_responses_api", "ChatAnthropic", "ChatGoogleGenerativeAI"].map((name) => ({
    name,
    settings: name,
    steps: allSteps,
  })),
});
