import { wholeOnly } from "../../src/dialects/exchanges/whole-only.ts";
import { readModelName } from "../../src/dialects/fields/model-name.ts";
import { missingParameter } from "../../src/errors.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";
import { expected, parseAnswer, readToyError, reported, toyDefaults } from "./toy-operation.ts";

interface MeasureInput extends OperationInput {
  readonly file: Uint8Array;
}

/** Multipart in, JSON out: `POST /v1/toy/measure` with `model` and a `file` -> `{"seconds"}`, charged by the second. */
export const measureFile: Operation<MeasureInput> = {
  ...toyDefaults,
  endpoint: "toy_measure",
  paths: ["/v1/toy/measure"],
  method: "POST",
  body: "multipart",
  async read(body) {
    if (body.kind !== "multipart") throw new Error("This operation reads multipart bodies.");
    const file = body.form.get("file");
    if (!(file instanceof Blob)) throw missingParameter("file");
    return { model: readModelName(body.form.get("model") ?? undefined), stream: false, file: await file.bytes() };
  },
  expectedUsage: ({ file }) => expected({ second: file.length }),
  exchange: ({ file }) =>
    wholeOnly({
      request: {
        dialect: "toy",
        method: "POST",
        path: "/measure",
        headers: { "content-type": "application/octet-stream" },
        body: file,
      },
      warnings: [],
      readError: readToyError,
      readWhole(body) {
        const second = Number(parseAnswer(body).seconds);
        return { body, observation: { responseId: null, usage: reported({ second }), producedText: () => "" } };
      },
    }),
};
