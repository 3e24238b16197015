import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AnswerHead, AnswerStream, Exchange } from "../../dialects/exchange.ts";
import { chatExchange } from "../../dialects/openai-chat/chat.testkit.ts";
import type { Attempt } from "./attempt.ts";
import { faultClassOf } from "./attempt-fault.ts";
import { type BegunAttempt, type HealthWord, NotingSink, setUpAttempts } from "./attempt.testkit.ts";

const json = { "content-type": "application/json" };
const eventStream = { "content-type": "text/event-stream" };
const whole = JSON.stringify({ id: "c", choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] });
const event = (value: object | string) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const says = event({ id: "c", choices: [{ index: 0, delta: { content: "Hi" } }] });
const finish = event({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const done = event("[DONE]");
const error = event({ error: { message: "Overloaded.", type: "server_error", code: "overloaded" } });

/** The one outcome that each end of an attempt is for its target. */
const wordOf = { answered: "succeeded", failed: "failed", lost: "lost", cancelled: "abandoned" } as const;
const outcomes: ReadonlySet<HealthWord> = new Set(Object.values(wordOf));

/** Takes the stream that has been answered with, as a delivery does: what is here already, then what comes. */
function take(attempt: Attempt): NotingSink {
  const { answer } = attempt;
  if (answer?.kind !== "stream") throw new Error("There is no stream to take.");
  const sink = new NotingSink();
  sink.onBytes(answer.source.first);
  answer.source.attach(sink);
  return sink;
}

function textOf(attempt: Attempt): string {
  const { answer } = attempt;
  if (answer?.kind !== "whole") throw new Error("There is no whole answer.");
  const { body } = answer.answer;
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

describe("a whole answer", () => {
  test("is reported once, when it is complete", () => {
    const { client, begin } = setUpAttempts();
    const { attempt, upstream, told, decisions, health } = begin();
    expect(health.inFlight).toBe(1);
    upstream.sent();
    upstream.answersHead(200, json);
    upstream.answers(whole.slice(0, 9));
    client.advance(70);
    upstream.answers(whole.slice(9));
    expect([decisions(), attempt.outcome, attempt.status]).toEqual([0, null, 200]);
    upstream.ends();
    expect(textOf(attempt)).toBe(whole);
    expect(told).toEqual(["ended", "answered", "succeeded"]);
    expect(attempt).toMatchObject({ outcome: "answered", hasAnswered: true, latencyMs: 70, fault: null });
    expect(decisions()).toBe(1);
    expect(health.inFlight).toBe(0);
    client.advance(50);
    expect(attempt.latencyMs).toBe(70);
  });

  test.each([
    ["that is not JSON", "nothing", "invalid_response"],
    ["that is empty", "", "invalid_response"],
    ["that is no completion", "{}", "invalid_response"],
    ["that is an error", '{"error":{"message":"No."}}', "reported_error"],
  ] as const)("%s is a fault: %j", (_what, body, kind) => {
    const { attempt, upstream, told } = setUpAttempts().begin();
    upstream.answersHead(200, json);
    if (body !== "") upstream.answers(body);
    upstream.ends();
    expect(attempt).toMatchObject({ answer: null, outcome: "failed", fault: { kind }, wasTakenOn: true });
    expect(told).toEqual(["ended", "failed"]);
  });

  test("that the gateway fails to read is a fault: nobody waits for it for ever", async () => {
    const example = await chatExchange();
    const exchange: Exchange = {
      request: example.request,
      warnings: [],
      readWhole() {
        throw new TypeError("a fault of the gateway's own");
      },
      readError: () => null,
      openStream: () => example.openStream(),
      wholeAsStream: (body) => example.wholeAsStream(body),
      openCollector: () => example.openCollector(),
    };
    const { attempt, upstream, told } = setUpAttempts().begin({ exchange });
    upstream.answersHead(200, json);
    upstream.answers(whole);
    upstream.ends();
    expect(attempt).toMatchObject({ answer: null, outcome: "failed", fault: { kind: "invalid_response" } });
    expect(told).toEqual(["ended", "failed"]);
  });

  test("becomes a stream for a caller that wants one, complete at once", () => {
    const { attempt, upstream, told } = setUpAttempts().begin({ wantsStream: true });
    upstream.answersHead(200, json);
    upstream.answers(whole);
    upstream.ends();
    expect(attempt.isComplete).toBe(true);
    expect(take(attempt)).toMatchObject({ text: expect.stringContaining('"content":"Hi"'), ends: ["finished"] });
    expect(told).toEqual(["ended", "answered", "succeeded"]);
  });

  test("is collected from an unrequested stream; its end ends the attempt, not that of the connection", () => {
    const { client, begin } = setUpAttempts();
    const { attempt, upstream, told } = begin();
    upstream.answersHead(200, eventStream);
    upstream.answers(says + finish + done);
    expect(JSON.parse(textOf(attempt))).toMatchObject({ choices: [{ message: { content: "Hi" } }] });
    expect(told).toEqual(["answered", "succeeded"]);
    upstream.answers(": more\n\n");
    // A connection that does not end by itself is ended.
    client.advance(1_000);
    expect(upstream.isCancelled).toBe(true);
    expect(told).toEqual(["answered", "succeeded", "ended"]);
  });

  test.each([
    ["reports an error", says + error, "reported_error"],
    ["ends early", says, "invalid_response"],
  ] as const)("gathered from a stream that %s is a fault", (_what, text, kind) => {
    const { attempt, upstream, told } = setUpAttempts().begin();
    upstream.answersHead(200, eventStream);
    upstream.answers(text);
    upstream.ends();
    expect(attempt).toMatchObject({ outcome: "failed", answer: null, fault: { kind } });
    expect(told.toSorted()).toEqual(["ended", "failed"]);
  });
});

describe("an error status", () => {
  test.each([500, 429, 400, 302])("%d is a fault with what its page says, and costs nothing", (status) => {
    const { attempt, upstream, told, decisions } = setUpAttempts().begin();
    upstream.answersHead(status, { ...json, "retry-after": "7" });
    upstream.answers('{"error":{"message":"No.",');
    expect(attempt.outcome).toBeNull();
    upstream.answers('"code":"because"}}');
    upstream.ends();
    const providerError = { message: "No.", code: "because" };
    expect(attempt).toMatchObject({ outcome: "failed", status, wasTakenOn: false, fault: { status, providerError } });
    expect(attempt.fault?.retryAfterMs).toBe(7_000);
    expect(told).toEqual(["ended", "failed"]);
    expect(decisions()).toBe(1);
  });

  test.each(["cut", "too large", "too slow", "no JSON"])("stands if its page is %s", (way) => {
    const { client, begin } = setUpAttempts();
    const { attempt, upstream, told } = begin();
    upstream.answersHead(503);
    upstream.answers('{"error":');
    if (way === "cut") upstream.fails("cut");
    else if (way === "too large") upstream.answers("x".repeat(1 << 20));
    else if (way === "too slow") client.advance(1_000);
    else upstream.ends();
    expect(attempt).toMatchObject({ outcome: "failed", fault: { kind: "status", status: 503, providerError: null } });
    expect(told.toSorted()).toEqual(["ended", "failed"]);
    expect(upstream.isOver).toBe(true);
  });
});

describe("a stream", () => {
  function begun(first = says): BegunAttempt & { readonly client: ReturnType<typeof setUpAttempts>["client"] } {
    const { client, begin } = setUpAttempts();
    const attempt = begin({ wantsStream: true });
    attempt.upstream.answersHead(200, eventStream);
    attempt.upstream.answers(first);
    return { ...attempt, client };
  }

  test("is an answer with its first event, and a success with its last", () => {
    const { attempt, upstream, told, decisions, client } = begun(": comment\n\n");
    expect([decisions(), attempt.answer]).toEqual([0, null]);
    upstream.answers(says);
    expect(told).toEqual(["answered"]);
    const sink = take(attempt);
    expect(sink.text).toBe(`: comment\n\n${says}`);
    upstream.answers(finish + done + says);
    expect(sink).toMatchObject({ text: `: comment\n\n${says}${finish}`, ends: ["finished"] });
    expect(told).toEqual(["answered", "succeeded"]);
    upstream.ends();
    expect(told).toEqual(["answered", "succeeded", "ended"]);
    expect(decisions()).toBe(1);
    client.advance(100_000);
    expect(sink.ends).toEqual(["finished"]);
  });

  test.each(["cut", "end", "more", "abandon"])("that is complete stays so, whatever its connection does: %s", (way) => {
    const { attempt, upstream, told, client } = begun();
    const sink = take(attempt);
    upstream.answers(finish + done);
    if (way === "cut") upstream.fails("cut");
    else if (way === "end") upstream.ends();
    else if (way === "more") upstream.answers(error);
    else attempt.abandon("cancelled");
    client.advance(1_000);
    expect(upstream.isOver).toBe(true);
    expect(sink).toMatchObject({ text: says + finish, ends: ["finished"] });
    expect(attempt).toMatchObject({ outcome: "answered", fault: null });
    expect(told).toEqual(["answered", "succeeded", "ended"]);
  });

  test("whose sink ends the attempt as it takes the last piece has not succeeded", () => {
    const { attempt, upstream, told } = begun();
    const sink = take(attempt);
    attempt.attach({
      onBytes: () => attempt.abandon("cancelled"),
      onFinished: () => sink.onFinished(),
      onFault: (fault) => sink.onFault(fault),
      onError: (error) => sink.onError(error),
    });
    upstream.answers(finish + done);
    expect(sink.ends).toEqual([]);
    expect(attempt).toMatchObject({ outcome: "cancelled", isComplete: false });
    expect(told).toEqual(["answered", "abandoned", "ended"]);
  });

  test("loses no bytes that arrive before it is taken", () => {
    const { attempt, upstream } = begun();
    upstream.answers(says);
    const { answer } = attempt;
    if (answer?.kind !== "stream") throw new Error("There is no stream.");
    const sink = new NotingSink();
    sink.onBytes(answer.source.first);
    upstream.answers(finish);
    answer.source.attach(sink);
    upstream.answers(done);
    expect(sink).toMatchObject({ text: says + says + finish, ends: ["finished"] });
  });

  test("that is complete before it is taken is reported as finished", () => {
    const { attempt, upstream } = begun(says + finish + done);
    expect(attempt.isComplete).toBe(true);
    upstream.answers(says);
    upstream.ends();
    expect(take(attempt)).toMatchObject({ text: says + finish, ends: ["finished"] });
  });

  test.each([
    [
      "a fault in its words",
      (upstream: BegunAttempt["upstream"]) => upstream.answers(finish + error),
      finish,
      "reported_error",
    ],
    ["a cut", (upstream: BegunAttempt["upstream"]) => upstream.fails("cut"), "", "cut"],
    ["an early end", (upstream: BegunAttempt["upstream"]) => upstream.ends(), "", "invalid_response"],
  ] as const)(
    "that ends by %s is told what was good, then the fault: taken before or after",
    (_what, end, more, kind) => {
      for (const isTakenFirst of [true, false]) {
        const { attempt, upstream, told, decisions } = begun();
        const early = isTakenFirst ? take(attempt) : null;
        end(upstream);
        expect(early ?? take(attempt)).toMatchObject({ text: says + more, ends: [kind] });
        expect(attempt).toMatchObject({ outcome: "failed", hasAnswered: true, wasTakenOn: true });
        expect(told.filter((word) => word !== "ended")).toEqual(["answered", "failed"]);
        expect(told.filter((word) => word === "ended")).toHaveLength(1);
        expect(decisions()).toBe(1);
      }
    },
  );

  test("whose first piece holds a valid event and a fault is a broken answer", () => {
    const { attempt } = begun(says + error);
    expect(attempt).toMatchObject({ hasAnswered: true, outcome: "failed" });
    expect(take(attempt)).toMatchObject({ text: says, ends: ["reported_error"] });
  });

  test.each([
    ["an error", error, "reported_error"],
    ["its end", "", "invalid_response"],
    ["comments and its end", ": one\n\n", "invalid_response"],
  ] as const)("that begins with %s is no answer", (_what, text, kind) => {
    const { attempt, upstream, told, decisions } = begun(text);
    upstream.ends();
    expect(attempt).toMatchObject({ answer: null, outcome: "failed", fault: { kind } });
    expect(told.toSorted()).toEqual(["ended", "failed"]);
    expect(decisions()).toBe(1);
  });

  test("that begins with comments without end takes little memory", () => {
    const { attempt, upstream } = begun(": first\n\n");
    for (let count = 0; count < 1_000; count++) upstream.answers(`: ${"x".repeat(100)}\n\n`);
    upstream.answers(says);
    const { text } = take(attempt);
    expect(text).toEndWith(says);
    expect(text.length).toBeLessThan(20 * 110 + says.length);
  });

  test("whose caller reads nothing is ended without a fault of the target", () => {
    const { attempt, client, told, upstream } = begun();
    const sink = take(attempt);
    attempt.pause();
    expect(upstream.isPaused).toBe(true);
    client.advance(9_000);
    expect(sink.ends).toEqual(["reader_stalled"]);
    expect(attempt.outcome).toBe("cancelled");
    expect(faultClassOf(attempt)).toBeNull();
    expect(told.toSorted()).toEqual(["abandoned", "answered", "ended"]);
  });

  test("that is no longer taken is read on for a limited time", () => {
    const { attempt, client, told, upstream } = begun();
    const sink = take(attempt);
    attempt.drain(500);
    upstream.answers(says);
    expect(sink.text).toBe(says + says);
    client.advance(500);
    expect(sink.ends).toEqual(["reader_stalled"]);
    expect(attempt.outcome).toBe("cancelled");
    expect(told.toSorted()).toEqual(["abandoned", "answered", "ended"]);
  });
});

test("bytes are read as the exchange decides by the head", async () => {
  const heads: AnswerHead[] = [];
  const base = await chatExchange({ stream: true });
  const exchange: Exchange = {
    request: base.request,
    warnings: base.warnings,
    readWhole: (body) => base.readWhole(body),
    openStream: () => base.openStream(),
    wholeAsStream: (body) => base.wholeAsStream(body),
    openCollector: () => base.openCollector(),
    readError: (body, status) => base.readError(body, status),
    openBytes(head: AnswerHead): AnswerStream {
      heads.push(head);
      return base.openStream();
    },
  };
  const { attempt, upstream } = setUpAttempts().begin({ exchange });
  upstream.answersHead(200, { "content-type": "audio/mpeg" });
  upstream.answers(says + finish + done);
  expect(heads.map((head) => head.header("Content-Type"))).toEqual(["audio/mpeg"]);
  expect(take(attempt)).toMatchObject({ text: says + finish, ends: ["finished"] });
});

test.each([
  ["application/json", true, "whole"],
  ["application/json; charset=utf-8", true, "whole"],
  ["application/problem+json", true, "whole"],
  ["text/event-stream; charset=utf-8", false, "collected"],
  ["text/plain", true, "stream"],
  ["text/plain", false, "whole"],
  ["", true, "stream"],
] as const)("an answer of type '%s', a stream asked for: %p, is read as %s", (type, wantsStream, form) => {
  const { attempt, upstream } = setUpAttempts().begin({ wantsStream });
  upstream.answersHead(200, type === "" ? {} : { "content-type": type });
  upstream.answers(form === "whole" ? whole : says + finish + done);
  if (form === "whole") upstream.ends();
  expect(attempt).toMatchObject({ fault: null, outcome: "answered" });
  expect(attempt.answer?.kind).toBe(wantsStream ? "stream" : "whole");
});

describe("an attempt that is ended", () => {
  test.each(["lost", "cancelled"] as const)("as %s is told so once, and its call is cancelled", (outcome) => {
    const { attempt, upstream, told, health } = setUpAttempts().begin();
    attempt.abandon(outcome);
    attempt.abandon("cancelled");
    attempt.abandon("lost");
    expect(attempt.outcome).toBe(outcome);
    expect(told).toEqual([wordOf[outcome], "ended"]);
    expect(upstream.isCancelled).toBe(true);
    expect(health.inFlight).toBe(0);
  });

  test("after its fault keeps the fault", () => {
    const { attempt, upstream, told } = setUpAttempts().begin();
    upstream.fails("unreachable");
    attempt.abandon("lost");
    expect(attempt).toMatchObject({ outcome: "failed", wasTakenOn: false });
    expect(told).toEqual(["ended", "failed"]);
  });

  test("by a request that cannot be sent has no effect", async () => {
    const exchange = await chatExchange();
    const unknown = { ...exchange, request: { ...exchange.request, dialect: "no-such-dialect" } };
    const { begin } = setUpAttempts({ maxInFlight: 1 });
    let told: readonly HealthWord[] = [];
    const beginUnknown = () => begin({ exchange: unknown, onTold: (words) => (told = words) });
    expect(beginUnknown).toThrow("no-such-dialect");
    expect(told).toEqual(["abandoned", "ended"]);
  });
});

describe("in every order of events", () => {
  type Step = (
    begun: BegunAttempt,
    sink: { taken: NotingSink | null },
    advance: (milliseconds: number) => void,
  ) => void;
  const texts = [whole, says, finish, done, error, ": comment\n\n", "nonsense", "data: nonsense\n\n", '{"error":{}}'];
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constant<Step>(({ upstream }) => upstream.sent()),
    fc
      .tuple(fc.constantFrom(200, 200, 200, 404, 500), fc.constantFrom(json, eventStream, eventStream, {}))
      .map(([status, headers]): Step => ({ upstream, attempt }) => {
        if (attempt.status === null) upstream.answersHead(status, headers);
      }),
    fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }).map((said): Step => ({ upstream, attempt }) => {
      if (attempt.status !== null) upstream.answers(said.join(""));
    }),
    fc.constant<Step>(({ upstream, attempt }) => {
      if (attempt.status !== null) upstream.ends();
    }),
    fc.constantFrom("unreachable", "cut", "invalid").map(
      (kind): Step =>
        ({ upstream }) =>
          upstream.fails(kind),
    ),
    fc.constantFrom(1, 500, 1_000).map(
      (milliseconds): Step =>
        (_begun, _sink, advance) =>
          advance(milliseconds),
    ),
    fc.constantFrom("lost", "cancelled").map(
      (outcome): Step =>
        ({ attempt }) =>
          attempt.abandon(outcome),
    ),
    fc.constantFrom("pause", "resume", "cancel").map(
      (name): Step =>
        ({ attempt }) =>
          attempt[name](),
    ),
    fc.constant<Step>(({ attempt }) => attempt.drain(100)),
    fc.constant<Step>(({ attempt }, sink) => {
      if (attempt.answer?.kind === "stream" && sink.taken === null) sink.taken = take(attempt);
    }),
  );

  /** How far the attempt has come before the steps begin. */
  const beginning = fc.constantFrom<((upstream: BegunAttempt["upstream"]) => void)[]>(
    () => {},
    (upstream) => upstream.answersHead(503),
    (upstream) => upstream.answersHead(200, json),
    (upstream) => upstream.answersHead(200, eventStream),
    (upstream) => {
      upstream.answersHead(200, eventStream);
      upstream.answers(says);
    },
    (upstream) => {
      upstream.answersHead(200, eventStream);
      upstream.answers(says + finish + done);
    },
  );

  test("there is one outcome, reported once to the target's health, and the slot is freed exactly once", () => {
    fc.assert(
      fc.property(fc.boolean(), beginning, fc.array(step, { maxLength: 12 }), (wantsStream, start, steps) => {
        const { client, begin } = setUpAttempts({ maxInFlight: 1 });
        const begun = begin({ wantsStream });
        const { attempt, upstream, told, health } = begun;
        const sink = { taken: null };
        const check = () => {
          const outcome = told.filter((word) => outcomes.has(word));
          expect(outcome).toEqual(attempt.outcome === null ? [] : [wordOf[attempt.outcome]]);
          expect(told.filter((word) => word === "answered")).toHaveLength(attempt.hasAnswered ? 1 : 0);
          expect(health.inFlight).toBe(told.includes("ended") ? 0 : 1);
          expect(told.filter((word) => word === "ended").length).toBeLessThanOrEqual(1);
          expect(begun.decisions()).toBe(attempt.hasAnswered || attempt.fault !== null ? 1 : 0);
          if (attempt.outcome === "answered") expect(attempt).toMatchObject({ hasAnswered: true, fault: null });
          // A slot is given back no sooner than its call is over.
          if (told.includes("ended")) expect(upstream.isOver).toBe(true);
        };
        check();
        start(upstream);
        check();
        for (const take of steps) {
          take(begun, sink, (milliseconds) => client.advance(milliseconds));
          check();
        }
        // A request that is over ends its attempt; an answer that lingers on its connection ends by itself.
        attempt.abandon("cancelled");
        client.advance(2_000);
        check();
        expect(attempt.outcome).not.toBeNull();
        expect(health.provider.limiter.isFull).toBe(false);
        expect(told.filter((word) => word === "ended")).toHaveLength(1);
        const { taken } = sink as { taken: NotingSink | null };
        expect(taken?.ends.length ?? 0).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });
});
