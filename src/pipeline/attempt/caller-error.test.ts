import { expect, test } from "bun:test";
import { exampleCandidate, simulatedClock } from "../../routing/choice/candidate.testkit.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { callerError } from "./caller-error.ts";

const clock = simulatedClock();
const failure = (status: number, message: string | null = null) => ({
  candidate: exampleCandidate(clock, `m${status}`),
  fault: new UpstreamFault("status", `HTTP ${status}`, {
    status,
    providerError: { message, type: null, code: null, param: null },
  }),
});

test("an invalid request is reported, whichever of two concurrent attempts reports it first", () => {
  const refused = failure(422, "No such tool.");
  const broken = failure(500);
  for (const failures of [
    [refused, broken],
    [broken, refused],
  ]) {
    expect(callerError(failures)).toMatchObject({ status: 422, message: "No such tool." });
  }
});

test("a request that was too long for one model has not failed for that where a larger one was asked", () => {
  const tooLong = failure(400, "The prompt is too long.");
  expect(callerError([tooLong, failure(500)])).toMatchObject({ status: 502, code: "all_targets_failed" });
  expect(callerError([failure(500), tooLong])).toMatchObject({ status: 400, code: "context_length_exceeded" });
});

test("equal failures are reported as one, with their shortest wait; different ones as all_targets_failed", () => {
  expect(callerError([failure(500), failure(502)])).toMatchObject({ status: 502, code: "upstream_error" });
  expect(callerError([failure(500), failure(503)])).toMatchObject({ status: 502, code: "all_targets_failed" });
  expect(callerError([failure(429), failure(500)])).toMatchObject({ status: 502, code: "all_targets_failed" });
  expect(callerError([failure(429), failure(429)])).toMatchObject({ status: 429, code: "provider_rate_limit" });
  expect(callerError([failure(429), failure(529)])).toMatchObject({ status: 503, code: "no_target_available" });
});
