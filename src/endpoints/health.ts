import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import type { Visit } from "./visit.ts";

/** `GET /healthz`: the process runs. */
export function health(): Answer {
  return jsonAnswer({ status: "ok" });
}

/**
 * `GET /readyz`: whether new requests can be served: not while shutting down, nor while no record could be kept. `storage`
 * is what a new request would find: `ok`, `journalling` (the database is away, the journal has room), or `unavailable`.
 */
export async function readiness({ services }: Visit): Promise<Answer> {
  const { inFlight, recorder, storageAnswers } = services;
  const answers = await storageAnswers();
  // Read once: `storage` and `status` must not contradict each other.
  const { draining } = inFlight;
  const hasRoom = recorder.hasRoom();
  const ready = !draining && hasRoom;
  const body = {
    status: ready ? "ready" : "not_ready",
    draining,
    storage: !hasRoom ? "unavailable" : answers ? "ok" : "journalling",
  };
  return jsonAnswer(body, ready ? 200 : 503, ready ? {} : { "retry-after": "5" });
}
