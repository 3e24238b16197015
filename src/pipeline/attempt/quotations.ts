/** A shared run of fewer characters is no quotation, but a word that both happen to use. */
export const minRun = 16;

/** Of every `minRun` characters, these many stand at a multiple of their number. */
const block = 8;

/** Longer requests, in characters, are not searched: their quotations cannot be distinguished from other text. */
const maxSearched = 512 * 1024;

/**
 * A short message with what it quotes of a request's values as `[...]`: a prompt must not reach a log. Names of members
 * and the name of the model are left.
 * @returns null if the request is too long to be searched
 */
export function withoutQuotations(message: string, sent: string | Uint8Array, model: string): string | null {
  if (sent.length > maxSearched) return null;
  const values = valuesOf(typeof sent === "string" ? sent : new TextDecoder().decode(sent), model);
  let clean = "";
  let copied = 0;
  for (let at = 0; at + block <= message.length; at += block) {
    if (!values.includes(message.slice(at, at + block))) continue;
    const [start, end] = runAround(message, at, values, copied);
    if (end - start < minRun) continue;
    clean += `${message.slice(copied, start)}[...]`;
    copied = end;
    at = Math.ceil(end / block) * block - block;
  }
  return clean + message.slice(copied);
}

/** The text of a body without the names of its members, and without the name of the model. */
function valuesOf(sent: string, model: string): string {
  const text = sent.includes(String.raw`\u`) ? unescaped(sent) : sent;
  return text.replaceAll(JSON.stringify(model), '""').replace(/"\w{1,64}"\s{0,8}:/g, ":");
}

function unescaped(sent: string): string {
  try {
    return JSON.stringify(JSON.parse(sent));
  } catch {
    return sent;
  }
}

/** The longest run of characters around the block at `at` that stands in `values`, from `from` on. */
function runAround(message: string, at: number, values: string, from: number): [start: number, end: number] {
  let start = at;
  let end = at + block;
  while (end < message.length && values.includes(message.slice(start, end + 1))) end++;
  while (start > from && values.includes(message.slice(start - 1, end))) start--;
  return [start, end];
}
