import type { Client } from "../../client.ts";
import { eventData, someAnswers, streamBody, wholeBody } from "../answers.ts";
import { installEnvironment, sdks } from "../environment.ts";
import { answerLine, validate } from "../validation.ts";

const program = "validate_answers.py";
const answers = 400;
const limitMs = 180_000;

/** The pydantic models of the vendors' SDKs. Here a column is the dialect of the caller, who is given any answer in it. */
export const client: Client = {
  name: "pydantic",
  title: "pydantic models of the SDKs",
  install: (folder) => installEnvironment(sdks, "pydantic", folder),
  cases: [
    {
      name: "whole answers",
      limitMs,
      run(cell) {
        const bodies = someAnswers(answers).map((answer) => wholeBody(cell.dialect, answer));
        return validate(
          cell,
          program,
          bodies.map((body) => answerLine("whole", body)),
        );
      },
    },
    {
      name: "streamed events",
      limitMs,
      run(cell) {
        const events = someAnswers(answers).flatMap((answer) => eventData(streamBody(cell.dialect, answer)));
        return validate(
          cell,
          program,
          events.map((event) => answerLine("event", event)),
        );
      },
    },
  ],
};
