import { type Contender, ownNames } from "./contenders/contender.ts";
import { chunksPerStream, streamedTexts } from "./payload/words.ts";

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

/** Every contender must bring every word. A peer may cut them into chunks as it likes. */
function checkStream(name: string, stream: string): void {
  const events = stream.split("\n\n").filter((event) => event.startsWith("data: {"));
  const isWhole = events.map(textOf).join("") === streamedTexts.join("") && stream.trimEnd().endsWith("data: [DONE]");
  // A gateway may keep the usage chunk, for which the caller did not ask, to itself.
  const isCut = events.length === chunksPerStream || events.length === chunksPerStream - 1;
  if (!isWhole || (!isCut && ownNames.some((own) => own === name))) {
    throw new Error(`${name} sent ${events.length} chunks, ending in: ${stream.slice(-300)}`);
  }
}

function textOf(event: string): string {
  const chunk = JSON.parse(event.slice("data: ".length)) as {
    readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  };
  return chunk.choices?.[0]?.delta?.content ?? "";
}

async function ask(contender: Contender, answering: "json" | "stream" | "burst"): Promise<string> {
  const { port, path, headers, body } = contender.call(answering);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${contender.name} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}
