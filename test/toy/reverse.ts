import { wholeOnly } from "../../src/dialects/exchanges/whole-only.ts";
import { readModelName } from "../../src/dialects/fields/model-name.ts";
import { requiredString } from "../../src/dialects/fields/read-field.ts";
import { readJsonObject } from "../../src/json/read-object.ts";
import { jsonText } from "../../src/operations/conversation.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";
import { expected, parseAnswer, readToyError, reported, toyDefaults } from "./toy-operation.ts";

interface ReverseInput extends OperationInput {
  readonly text: string;
}

/** JSON in, JSON out: `POST /v1/toy/reverse {"model", "text"}` -> `{"text"}`, charged by the character. */
export const reverse: Operation<ReverseInput> = {
  ...toyDefaults,
  endpoint: "toy_reverse",
  paths: ["/v1/toy/reverse"],
  method: "POST",
  body: "json",
  read(body) {
    const { body: fields } = readJsonObject(jsonText(body), new Set());
    return { model: readModelName(fields.model), stream: false, text: requiredString(fields.text, "text") };
  },
  expectedUsage: ({ text }) => expected({ character: Array.from(text).length }),
  exchange: ({ text }, { model }) =>
    wholeOnly({
      request: {
        dialect: "toy",
        method: "POST",
        path: "/reverse",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model, text }),
      },
      warnings: [],
      readError: readToyError,
      readWhole(body) {
        const characters = Array.from(String(parseAnswer(body).text)).length;
        return {
          body,
          observation: { responseId: null, usage: reported({ character: characters }), producedText: () => "" },
        };
      },
    }),
};
