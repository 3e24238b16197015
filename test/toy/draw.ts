import { passBytes } from "../../src/dialects/exchanges/pass-bytes.ts";
import { readModelName } from "../../src/dialects/fields/model-name.ts";
import { wholeOnly } from "../../src/dialects/exchanges/whole-only.ts";
import { readJsonObject } from "../../src/json/read-object.ts";
import { jsonText } from "../../src/operations/conversation.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";
import { expected, readToyError, reported, toyDefaults } from "./toy-operation.ts";

/** JSON in, bytes out as they come: `POST /v1/toy/draw {"model"}` -> a picture, charged by the image. */
export const draw: Operation<OperationInput> = {
  ...toyDefaults,
  endpoint: "toy_draw",
  paths: ["/v1/toy/draw"],
  method: "POST",
  body: "json",
  read: (body) => ({ model: readModelName(readJsonObject(jsonText(body), new Set()).body.model), stream: true }),
  expectedUsage: () => expected({ image: 1 }),
  exchange: () => ({
    ...wholeOnly({
      request: { dialect: "toy", method: "POST", path: "/draw", headers: {}, body: "" },
      warnings: [],
      readError: readToyError,
      readWhole() {
        throw new Error("A picture is passed on in pieces.");
      },
    }),
    openBytes: (head) => passBytes(head.header("content-type") ?? "application/octet-stream", reported({ image: 1 })),
  }),
};
