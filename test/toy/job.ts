import type { Observation } from "../../src/dialects/exchange.ts";
import { readModelName } from "../../src/dialects/fields/model-name.ts";
import { wholeOnly } from "../../src/dialects/exchanges/whole-only.ts";
import { readJsonObject } from "../../src/json/read-object.ts";
import { jsonText } from "../../src/operations/conversation.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";
import { expected, parseAnswer, readToyError, reported, toyDefaults } from "./toy-operation.ts";

const nothing = { usage: null, producedText: () => "" };

/** A job: `POST /v1/toy/jobs {"model"}` -> `{"id", "status"}`. Its record is pending until the job has ended. */
export const createJob: Operation<OperationInput> = {
  ...toyDefaults,
  endpoint: "toy_jobs",
  paths: ["/v1/toy/jobs"],
  method: "POST",
  body: "json",
  read: (body) => ({ model: readModelName(readJsonObject(jsonText(body), new Set()).body.model), stream: false }),
  expectedUsage: () => expected({ video_second: 8 }),
  exchange: (_, { model }) =>
    wholeOnly({
      request: {
        dialect: "toy",
        method: "POST",
        path: "/jobs",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model }),
      },
      warnings: [],
      readError: readToyError,
      readWhole: (body) => ({
        body,
        observation: { ...nothing, responseId: String(parseAnswer(body).id), isPending: true },
      }),
    }),
};

interface ReadInput extends OperationInput {
  readonly id: string;
}

/** `GET /v1/toy/jobs/{id}?model=...` costs nothing, and ends the job's record once the job has ended. */
export const readJob: Operation<ReadInput> = {
  ...toyDefaults,
  endpoint: "toy_jobs",
  paths: ["/v1/toy/jobs/{id}"],
  method: "GET",
  body: "none",
  isFree: true,
  read(_, { url }) {
    const { pathname, searchParams } = new URL(url);
    return { model: readModelName(searchParams.get("model")), stream: false, id: pathname.split("/").at(-1) ?? "" };
  },
  expectedUsage: () => expected({}),
  exchange: ({ id }) =>
    wholeOnly({
      request: { dialect: "toy", method: "GET", path: `/jobs/${encodeURIComponent(id)}`, headers: {}, body: null },
      warnings: [],
      readError: readToyError,
      readWhole: (body) => ({ body, observation: observe(id, parseAnswer(body)) }),
    }),
};

function observe(id: string, { status, seconds }: Readonly<Record<string, unknown>>): Observation {
  if (status !== "succeeded" && status !== "failed") return { ...nothing, responseId: null };
  const finishedJob = { id, status, usage: reported({ video_second: Number(seconds) }) } as const;
  return { ...nothing, responseId: null, finishedJob };
}
