import type { Case, Client } from "../../client.ts";
import { someAnswers, streamBody, wholeBody } from "../answers.ts";
import { frameworks } from "../environment.ts";
import { allSteps, pythonClient } from "../program.ts";
import { type AnswerKind, answerLine, validate } from "../validation.ts";

const answers = 300;

const agents = pythonClient({
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

/** pydantic-ai's agent, and its own validation of any answer; there, a column is the dialect of the caller. */
export const client: Client = {
  ...agents,
  cases: [...agents.cases, anyAnswer("whole", wholeBody), anyAnswer("stream", streamBody)],
};

function anyAnswer(kind: AnswerKind, bodyOf: typeof wholeBody): Case {
  return {
    name: `any answer, ${kind}`,
    limitMs: 180_000,
    run(cell) {
      // It declares no free-text tools, and so is never answered with a call of one.
      const functionsOnly = someAnswers(answers).filter(({ candidates }) =>
        candidates.every(({ parts }) => parts.every((part) => part.type !== "tool-call" || part.kind === "function")),
      );
      const lines = functionsOnly.map((answer) => answerLine(kind, JSON.stringify(bodyOf(cell.dialect, answer))));
      return validate(cell, "pydantic_ai_answers.py", lines);
    },
  };
}
