import { closingToolResults, type Attachment, lastUserText, type Prompt } from "../prompt.ts";
import { valueFromSchema } from "./value-from-schema.ts";

const maxEchoed = 2000;

/** The default text of the scripted model, which depends only on the request. */
export function echoText(prompt: Prompt): string {
  const answer = plainAnswer(prompt);
  if (prompt.format.kind === "json") return JSON.stringify({ answer });
  if (prompt.format.kind === "schema") {
    return JSON.stringify(valueFromSchema(prompt.format.schema, { place: null, text: lastUserText(prompt) }));
  }
  return answer;
}

/** The default reasoning of the reasoning model. */
export function echoReasoning(prompt: Prompt): string {
  const words = lastUserText(prompt).split(/\s+/).filter(Boolean).length;
  return `The user wrote ${counted(words, "word")}. I will repeat what was said and add nothing.`;
}

function plainAnswer(prompt: Prompt): string {
  const results = closingToolResults(prompt);
  if (results.length > 0) return `Here is what the tools found: ${results.map(sayResult(prompt)).join("; ")}.`;
  const said = lastUserText(prompt).slice(0, maxEchoed);
  const attachments = prompt.messages.findLast((message) => message.role === "user")?.attachments ?? [];
  const sentences = [said === "" ? "Hello from the sandbox!" : `You said: ${said}`, ...sayAttachments(attachments)];
  return sentences.join("\n");
}

function sayResult(prompt: Prompt): (result: Prompt["messages"][number]) => string {
  const names = new Map(prompt.messages.flatMap((message) => message.toolCalls.map((call) => [call.id, call.name])));
  return (result) => `${names.get(result.toolCallId ?? "") ?? "tool"} says ${result.text.slice(0, maxEchoed)}`;
}

function sayAttachments(attachments: readonly Attachment[]): string[] {
  return (["image", "audio", "file"] as const).flatMap((kind) => {
    const seen = attachments.filter((attachment) => attachment.kind === kind);
    if (seen.length === 0) return [];
    const verb = kind === "audio" ? "hear" : "see";
    const noun = kind === "audio" ? "audio clip" : kind;
    return [`I ${verb} ${counted(seen.length, noun)} (${seen.map((one) => one.description).join("; ")}).`];
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
