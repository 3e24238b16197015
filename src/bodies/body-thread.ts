import type { BodyLogPolicy } from "./body-log-policy.ts";
import type { KeptBody, RawBody } from "./kept-body.ts";
import { prepareBody } from "./prepare-body.ts";
import { compileRedaction } from "./redact-value.ts";

/** The thread behind `prepare-in-background.ts`: it answers each question in turn. */
declare const self: Worker;

/** A message to the thread. */
export interface PrepareRequest {
  readonly policy: Pick<BodyLogPolicy, "redact" | "maxBodyBytes">;
  /** Texts that are taken out in any case. */
  readonly secrets: readonly string[];
  readonly bodies: readonly RawBody[];
}

/** Its answer: a kept body for each. */
export interface PrepareAnswer {
  readonly kept: readonly KeptBody[];
}

self.addEventListener("message", ({ data }: MessageEvent<PrepareRequest>) => {
  const { policy, secrets, bodies } = data;
  const redaction = compileRedaction(policy.redact, secrets);
  const kept = bodies.map((body) => prepareBody(body, redaction, policy.maxBodyBytes));
  postMessage({ kept } satisfies PrepareAnswer);
});
