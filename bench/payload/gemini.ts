import type { Answers } from "./dialect.ts";
import { answerModel, answerText, streamedTexts, tokens } from "./words.ts";

export const geminiAnswers: Answers = { whole: JSON.stringify(chunk(answerText, "STOP")), pieces: pieces() };

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
