import { expect, test } from "bun:test";
import { AnswerFault } from "../../exchange.ts";
import { decodeEmbeddingsAnswer, encodeEmbeddingsRequest } from "./embeddings.ts";

test("each input is a request of its own, with the model's full name", () => {
  expect(encodeEmbeddingsRequest({ model: "gemini-embedding-001", inputs: ["a", "b"], dimensions: 8 })).toEqual({
    path: "/v1beta/models/gemini-embedding-001:batchEmbedContents",
    body: {
      requests: ["a", "b"].map((text) => ({
        model: "models/gemini-embedding-001",
        content: { parts: [{ text }] },
        outputDimensionality: 8,
      })),
    },
  });
});

test("vectors are in the order of the inputs, with the usage if reported", () => {
  const embeddings = [{ values: [0.5, -1] }, { values: [1e-7, 0] }];
  expect(decodeEmbeddingsAnswer({ embeddings }, 2)).toEqual({
    embeddings: [
      [0.5, -1],
      [1e-7, 0],
    ],
    usage: null,
  });
  const { usage } = decodeEmbeddingsAnswer({ embeddings, usageMetadata: { promptTokenCount: 3 } }, 2);
  expect(usage?.quantities.input).toBe(3);
});

test("an answer that does not fit its inputs is a fault", () => {
  expect(() => decodeEmbeddingsAnswer({ embeddings: [{ values: [1] }] }, 2)).toThrow(AnswerFault);
  expect(() => decodeEmbeddingsAnswer({ embeddings: [{ values: ["1"] }] }, 1)).toThrow(AnswerFault);
  expect(() => decodeEmbeddingsAnswer({ error: { message: "No." } }, 1)).toThrow(AnswerFault);
  expect(() => decodeEmbeddingsAnswer(null, 1)).toThrow(AnswerFault);
});
