import { composeReply } from "./compose/compose-reply.ts";
import type { Dialect, Operation } from "./dialect.ts";
import { readDirectives } from "./script/directives.ts";
import { findModel, unknownModel } from "./models.ts";
import { Refusal } from "./refusal.ts";
import type { RequestEntry } from "./request-log.ts";
import type { SandboxState } from "./state.ts";
import type { ScriptedAnswer } from "./wire/answer.ts";
import { planAnswer } from "./wire/plan-answer.ts";

/** Generates the answer to a request, and the script for sending it. Throws the vendor's Refusal. */
export function generate(
  state: SandboxState,
  entry: RequestEntry,
  body: Uint8Array,
  dialect: Dialect,
  operation: Extract<Operation, { kind: "generate" | "receive" }>,
  query: URLSearchParams,
): ScriptedAnswer {
  const call =
    operation.kind === "receive" ? operation.read(body, query) : operation.read(decode(body), state.memory, query);
  entry.model = call.prompt.model;
  const model = findModel(call.prompt.model, state.models);
  if (model === null) throw unknownModel(call.prompt.model);
  if (!model.tools && call.prompt.tools.length > 0) {
    throw new Refusal(400, "Unsupported parameter: 'tools' is not supported with this model.", {
      code: "unsupported_parameter",
      param: "tools",
    });
  }
  const directed = readDirectives(call.prompt, model.script, call.directives);
  call.check(directed.script);
  const script = state.faults.apply(directed.script, model.id);
  const reply = composeReply(directed.prompt, script, {
    model,
    cache: state.cache,
    requestHash: Bun.hash(body).toString(16).padStart(16, "0"),
    answerId: `${state.instance}${state.sequence.toString(36).padStart(8, "0")}`,
    created: Math.floor(Date.now() / 1000),
  });
  return { answer: planAnswer(call, reply, script, dialect), script };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(400, "The body of your request is not valid UTF-8.");
  }
}
