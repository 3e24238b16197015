import { exampleReadContext } from "../../operations/read-context.testkit.ts";
import type { ExchangeTools } from "../../operations/operation.ts";
import { exampleCandidate, simulatedClock } from "../../routing/choice/candidate.testkit.ts";
import { createDialects } from "../dialect.ts";
import type { Exchange } from "../exchange.ts";
import { chat } from "./chat.ts";
import { openaiChat } from "./dialect.ts";

const notHere = () => {
  throw new Error("This test has no media.");
};

const tools: ExchangeTools = {
  dialects: createDialects([openaiChat]),
  fetchMedia: async () => new Map(),
  media: { links: { create: notHere, keep: notHere }, fetchMade: notHere, hideProvider: false },
};

/** Reads a chat request as the gateway does. */
export function readChat(body: object) {
  return chat.read({ kind: "json", text: JSON.stringify(body) }, exampleReadContext());
}

/** The exchange of a chat request at a provider of the same dialect. The body needs only the fields under test. */
export async function chatExchange(body: object = {}): Promise<Exchange> {
  const input = await readChat({ model: "model", messages: [{ role: "user", content: "Hi" }], ...body });
  const { target, model } = exampleCandidate(simulatedClock());
  const exchange = await chat.exchange(input, target, model, tools);
  if (exchange === null) throw new Error("A chat provider serves chat.");
  return exchange;
}
