import type { Call } from "../dialect.ts";
import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { promptOfTexts } from "../prompt.ts";
import { checkParts, partsOf } from "./check-contents.ts";
import { invalidArgument, readMessage } from "./check-shape.ts";
import { geminiError } from "./errors.ts";
import { parseBody } from "./generate-call.ts";
import { embed } from "../vector.ts";

const defaultDimensions = 768;
const maxDimensions = 3_072;
/** Google's limit for one call. */
const maxRequests = 100;

/** Reads a request of `:batchEmbedContents`. */
export function readBatchEmbedCall(text: string, model: string): Call {
  const body = readMessage(parseBody(text), "BatchEmbedContentsRequest");
  const requests = listOrEmpty(body["requests"]).map(objectOrEmpty);
  if (requests.length === 0) throw invalidArgument("* BatchEmbedContentsRequest.requests: requests is not specified");
  if (requests.length > maxRequests) {
    throw invalidArgument(`* BatchEmbedContentsRequest.requests: at most ${maxRequests} requests can be in one batch`);
  }
  for (const [index, request] of requests.entries()) {
    if (request["model"] !== `models/${model}`) {
      throw invalidArgument(
        "* BatchEmbedContentsRequest.requests[].model: all must name the model of the URL.",
        `requests[${index}].model`,
      );
    }
  }
  return embedCall(model, requests, body["sandbox"], (embeddings) => ({ embeddings }));
}

/** Reads a request of `:embedContent`. */
export function readEmbedCall(text: string, model: string): Call {
  const request = readMessage(parseBody(text), "EmbedContentRequest");
  return embedCall(model, [request], request["sandbox"], ([embedding]) => ({ embedding }));
}

function embedCall(
  model: string,
  requests: readonly JsonObject[],
  directives: unknown,
  write: (embeddings: readonly { values: number[] }[]) => object,
): Call {
  const texts = requests.map(textOf);
  const embeddings = () =>
    texts.map((text, index) => ({ values: [...embed(text, dimensionsOf(requests[index]?.["outputDimensionality"]))] }));
  return {
    prompt: promptOfTexts(model, texts),
    stream: false,
    directives,
    check() {},
    writeJson: () => JSON.stringify(write(embeddings())),
    streamContentType: "application/json",
    writeStream: () => [],
    errorFrame: (failure) => ({ data: JSON.stringify(geminiError(failure)) }),
  };
}

function textOf(request: JsonObject, index: number): string {
  const parts = partsOf(request["content"]);
  checkParts(parts, `requests[${index}].content`);
  return parts.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("");
}

function dimensionsOf(asked: unknown): number {
  if (asked === undefined) return defaultDimensions;
  if (typeof asked === "number" && asked >= 1 && asked <= maxDimensions) return asked;
  throw invalidArgument(`output_dimensionality must be between 1 and ${maxDimensions}.`, "output_dimensionality");
}
