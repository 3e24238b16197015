import { withMembers } from "../../../json/top-level.ts";
import { withoutMembers } from "../../../json/without-members.ts";
import { nextTurn } from "../../../next-turn.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { jsonText } from "../../../operations/conversation.ts";
import { embeddingsExchange } from "../../../operations/embeddings-exchange.ts";
import { estimateEmbeddingTokens, expectEmbeddings } from "../../../operations/embeddings.ts";
import type { Operation } from "../../../operations/operation.ts";
import type { Target } from "../../../routing/names/model.ts";
import { AnswerFault, type Exchange } from "../../exchange.ts";
import { observeEmbeddings } from "../../openai-chat/embeddings.ts";
import { readUsage } from "../../openai-chat/usage.ts";
import { parseBody, parseLargeBody } from "../../exchanges/through-neutral.ts";
import { wholeOnly } from "../../exchanges/whole-only.ts";
import { addressOf } from "../address.ts";
import { type GeminiEmbeddings, readGeminiEmbeddings } from "./embed-request.ts";
import { decodeEmbeddingsAnswer } from "./embeddings.ts";
import { readGeminiError } from "../errors.ts";
import { modelPath } from "../fields.ts";
import { geminiErrorFormat } from "../generate-content.ts";

const action = { one: "embedContent", batch: "batchEmbedContents" } as const;

/** `POST /v1beta/models/{model}:embedContent` and `:batchEmbedContents`, to providers of any dialect that embeds. */
export const embedContent: Operation<GeminiEmbeddings> = {
  endpoint: "embeddings",
  paths: Object.values(action).flatMap((name) => [`/v1beta/models/{model+}:${name}`, `/v1/models/{model+}:${name}`]),
  method: "POST",
  body: "json",
  keyHeader: "x-goog-api-key",
  errorFormat: geminiErrorFormat,
  read(body, { url }) {
    const address = addressOf(url);
    return readGeminiEmbeddings(jsonText(body), address?.model ?? "", address?.action === action.batch);
  },
  expectedUsage: expectEmbeddings,
  // As at OpenAI's path: the context length is that of each content.
  size: () => 0,
  estimateInput: estimateEmbeddingTokens,
  exchange(request, target, model, tools) {
    if (target.provider.dialects.includes("gemini")) return asWritten(request, target);
    if (request.obstacle) throw request.obstacle;
    const exchange = embeddingsExchange(request, target, model, tools);
    if (exchange instanceof Promise) return exchange.then((made) => inGooglesShape(request, made));
    return exchange && inGooglesShape(request, exchange);
  },
};

/** To a provider of the same dialect, as it was written but for the name of the model. */
async function asWritten({ written, isBatch, inputs }: GeminiEmbeddings, target: Target): Promise<Exchange> {
  const path = modelPath(target.model);
  const body = await withModel(written, decodeURI(path.slice("/v1beta/".length)));
  return wholeOnly({
    request: {
      dialect: "gemini",
      method: "POST",
      path: `${path}:${isBatch ? action.batch : action.one}`,
      headers: { "content-type": "application/json" },
      body,
    },
    warnings: [],
    readError: readGeminiError,
    readWhole(body) {
      const answer = parseBody(withoutMembers(body, "values"));
      // One content is answered as a batch of one would be.
      const batch = !isBatch && isObject(answer) && isObject(answer.embedding);
      const { usage } = decodeEmbeddingsAnswer(
        batch ? { ...answer, embeddings: [answer.embedding] } : answer,
        inputs.length,
      );
      return { body, observation: observeEmbeddings(usage) };
    },
  });
}

/** In characters: more are written in a turn of their own. */
const writtenAtOnce = 2 << 20;

/** Each request of a batch names the model again, by the provider's name. A large batch is written in steps. */
async function withModel({ text, body, members }: GeminiEmbeddings["written"], model: string): Promise<string> {
  const { requests } = body;
  if (!Array.isArray(requests)) {
    return body.model === undefined ? text : withMembers(text, members, { model: JSON.stringify(model) });
  }
  let items = "";
  let pausedAt = 0;
  for (const request of requests as readonly JsonObject[]) {
    items += `${items === "" ? "" : ","}${JSON.stringify({ ...request, model })}`;
    if (items.length - pausedAt < writtenAtOnce) continue;
    pausedAt = items.length;
    await nextTurn();
  }
  const rest = JSON.stringify({ ...body, requests: undefined });
  return `${rest.slice(0, -1)}${rest === "{}" ? "" : ","}"requests":[${items}]}`;
}

/** An exchange whose answer has OpenAI's shape, answered in Google's. */
function inGooglesShape({ isBatch, ownFields }: GeminiEmbeddings, exchange: Exchange): Exchange {
  return {
    ...exchange,
    warnings: [...ownFields, ...exchange.warnings],
    readWhole(body) {
      const { body: answered, observation } = exchange.readWhole(body);
      const answer = parseBody(typeof answered === "string" ? Buffer.from(answered) : answered);
      return { body: JSON.stringify(asGoogles(answer, isBatch)), observation };
    },
    async readLarge(body) {
      const { body: answered, observation } = exchange.readWhole(body);
      await nextTurn();
      const answer = await parseLargeBody(typeof answered === "string" ? Buffer.from(answered) : answered);
      return { body: JSON.stringify(asGoogles(answer, isBatch)), observation };
    },
  };
}

function asGoogles(answer: unknown, isBatch: boolean): JsonObject {
  const data = isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  const embeddings = data.map((item: unknown) => ({ values: valuesOf(isObject(item) ? item.embedding : null) }));
  const read = readUsage(isObject(answer) ? answer.usage : null)?.quantities.input;
  const usage = read === undefined ? {} : { usageMetadata: { promptTokenCount: read } };
  return isBatch ? { embeddings, ...usage } : { embedding: embeddings[0], ...usage };
}

/** Some servers answer in base64 whatever was asked for. */
function valuesOf(embedding: unknown): readonly number[] {
  if (Array.isArray(embedding) && embedding.every((value) => typeof value === "number")) return embedding;
  if (typeof embedding !== "string")
    throw new AnswerFault("The provider's answer holds an embedding in an unknown form.");
  const bytes = Buffer.from(embedding, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
