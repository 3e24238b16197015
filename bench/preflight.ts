import type { Contender } from "./contender.ts";
import { chunksPerStream } from "./payload/words.ts";

/** Calls each contender once for each kind of answer. Throws if an answer is not what it should be. */
export async function checkAnswers(contenders: readonly Contender[]): Promise<void> {
  for (const contender of contenders) {
    const answer = await ask(contender, "json");
    if (!answer.includes('"chat.completion"')) throw new Error(`${contender.name} answered: ${answer.slice(0, 500)}`);
    checkStream(contender.name, await ask(contender, "stream"));
    checkStream(contender.name, await ask(contender, "burst"));
    contender.ledger?.add(3, 0);
  }
}

function checkStream(name: string, stream: string): void {
  // A gateway may keep the usage chunk, for which the caller did not ask, to itself.
  const events = stream.split("\n\n").filter((event) => event.startsWith("data: {")).length;
  if (events < chunksPerStream - 1 || events > chunksPerStream || !stream.endsWith("data: [DONE]\n\n")) {
    throw new Error(`${name} sent ${events} chunks, ending in: ${stream.slice(-300)}`);
  }
}

async function ask(contender: Contender, answering: "json" | "stream" | "burst"): Promise<string> {
  const { port, path, headers, body } = contender.call(answering);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${contender.name} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}
