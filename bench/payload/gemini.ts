import type { Answers, Asking } from "./dialect.ts";
import { answerModel, answerText, instructions, question, streamedTexts, tokens } from "./words.ts";

export const geminiAnswers: Answers = { whole: JSON.stringify(chunk(answerText, "STOP")), pieces: pieces() };

export const geminiAsking: Asking = {
  path: (model, answering) =>
    `/v1beta/models/${model}:${answering === "json" ? "generateContent" : "streamGenerateContent?alt=sse"}`,
  headers: (key) => ({ "content-type": "application/json", "x-goog-api-key": key }),
  body: () =>
    JSON.stringify({
      systemInstruction: { parts: [{ text: instructions }] },
      contents: [{ role: "user", parts: [{ text: question }] }],
    }),
};

/** Two chunks end the answer, as many as in the other dialects; lines end as Google's do. */
function pieces(): string[] {
  const texts = [...streamedTexts.map((text) => chunk(text)), chunk(""), chunk("", "STOP")];
  return texts.map((data) => `data: ${JSON.stringify(data)}\r\n\r\n`);
}

function chunk(text: string, finishReason?: string) {
  return {
    candidates: [{ content: { parts: [{ text }], role: "model" }, finishReason, index: 0 }],
    usageMetadata: {
      promptTokenCount: tokens.input,
      candidatesTokenCount: tokens.output,
      totalTokenCount: tokens.input + tokens.output,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens.input }],
    },
    modelVersion: answerModel,
    responseId: "bench0123456789abcdef",
  };
}
