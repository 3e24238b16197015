import { wholeOnly } from "../../src/dialects/exchanges/whole-only.ts";
import { readModelName } from "../../src/dialects/fields/model-name.ts";
import { formBody } from "../../src/multipart/write-form.ts";
import type { FormFile } from "../../src/multipart/form.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";
import { expected, parseAnswer, readToyError, reported, toyDefaults } from "./toy-operation.ts";

interface MeasureInput extends OperationInput {
  readonly file: FormFile;
}

/** Multipart in, JSON out: `POST /v1/toy/measure` with `model` and a `file` -> `{"seconds"}`, charged by the second. */
export const measureFile: Operation<MeasureInput> = {
  ...toyDefaults,
  endpoint: "toy_measure",
  paths: ["/v1/toy/measure"],
  method: "POST",
  body: "multipart",
  read(body) {
    if (body.kind !== "multipart") throw new Error("This operation reads multipart bodies.");
    const model = readModelName(body.form.field("model") ?? undefined);
    return { model, stream: false, file: body.form.file("file") };
  },
  expectedUsage: ({ file }) => expected({ second: file.size }),
  exchange({ file }, { model }) {
    const { size, filename, contentType, stream } = file;
    const form = formBody([
      { name: "model", value: model },
      { name: "file", filename, contentType, size, stream },
    ]);
    return wholeOnly({
      request: {
        dialect: "toy",
        method: "POST",
        path: "/measure",
        headers: { "content-type": form.contentType },
        body: form.body,
      },
      warnings: [],
      readError: readToyError,
      readWhole(body) {
        const second = Number(parseAnswer(body).seconds);
        return { body, observation: { responseId: null, usage: reported({ second }), producedText: () => "" } };
      },
    });
  },
};
