import { createDialects } from "../../dialects/dialect.ts";
import type { Exchange } from "../../dialects/exchange.ts";
import { openaiChat } from "../../dialects/openai-chat/dialect.ts";
import { chatExchange } from "../../dialects/openai-chat/chat.testkit.ts";
import { createLog } from "../../log.ts";
import { exampleCandidate } from "../../routing/choice/candidate.testkit.ts";
import type { TargetHealth } from "../../routing/health/target-health.ts";
import { createDeadlines } from "../../upstream/deadlines.ts";
import { openChannels } from "../../upstream/channel.ts";
import { FakeClient, type FakeExchange } from "../../upstream/http/fake-client.testkit.ts";
import type { Provider } from "../../upstream/provider.ts";
import { createAnswerMemory } from "../capacity/answer-memory.ts";
import { Attempt } from "./attempt.ts";
import type { StreamSink } from "./target-answer.ts";

/** The calls of the target's health, in order: `ended` once the slot is free. */
export type HealthWord = "answered" | "succeeded" | "failed" | "abandoned" | "lost" | "ended";

export interface BegunAttempt {
  readonly attempt: Attempt;
  /** The provider's end of the call. */
  readonly upstream: FakeExchange;
  readonly told: readonly HealthWord[];
  /** The number of times the attempt was reported as decided. */
  readonly decisions: () => number;
  readonly health: TargetHealth;
}

interface BeginOptions {
  readonly wantsStream?: boolean;
  /** A chat exchange unless given. */
  readonly exchange?: Exchange;
  /** Given the list of what health is told, for an attempt that cannot begin. */
  readonly onTold?: (told: readonly HealthWord[]) => void;
}

const log = createLog({ level: "error", format: "json", destination: { write() {}, flush: () => Promise.resolve() } });

const timeouts = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 3_000, totalMs: 9_000 };

const exchanges: Record<"json" | "stream", Exchange> = {
  json: await chatExchange(),
  stream: await chatExchange({ stream: true, stream_options: { include_usage: true } }),
};

/** Begins attempts at targets of their own, whose provider a test plays. */
export function setUpAttempts(provider: Partial<Provider> = {}, maxAnswerMemoryBytes = 64 << 20) {
  const client = new FakeClient();
  const deadlines = createDeadlines({ now: client.now });
  const answerMemory = createAnswerMemory({ maxBytes: maxAnswerMemoryBytes, clock: { now: client.now }, deadlines });
  const clock = { now: client.now, advance: (milliseconds: number) => client.advance(milliseconds) };

  const begin = (options: BeginOptions = {}): BegunAttempt => {
    const { wantsStream = false, exchange = exchanges[wantsStream ? "stream" : "json"] } = options;
    const candidate = exampleCandidate(clock, "m", { provider: { timeouts, ...provider } });
    const { target } = candidate;
    const told: HealthWord[] = [];
    options.onTold?.(told);
    const health = listenedTo(target.health, told);
    let decisions = 0;
    const attempt = new Attempt({
      services: {
        answerMemory,
        clock,
        callTools: { client, now: client.now },
        channels: openChannels(client, [target.provider]),
        dialects: createDialects([openaiChat]),
        log,
      },
      candidate: { ...candidate, target: { ...target, health } },
      exchange,
      credential: 0,
      wantsStream,
      onDecided: () => decisions++,
    });
    return { attempt, upstream: client.exchange, told, decisions: () => decisions, health };
  };
  return { client, begin, answerMemory, deadlines };
}

function listenedTo(health: TargetHealth, told: HealthWord[]): TargetHealth {
  return {
    ...health,
    get inFlight() {
      return health.inFlight;
    },
    answered(pass, latencyMs) {
      told.push("answered");
      health.answered(pass, latencyMs);
    },
    succeeded(pass, credential) {
      told.push("succeeded");
      health.succeeded(pass, credential);
    },
    failed(pass, credential, fault) {
      told.push("failed");
      health.failed(pass, credential, fault);
    },
    abandoned(pass) {
      told.push("abandoned");
      health.abandoned(pass);
    },
    lost(pass, silentMs) {
      told.push("lost");
      health.lost(pass, silentMs);
    },
    ended() {
      told.push("ended");
      health.ended();
    },
  };
}

/** Takes a streamed answer, and notes what it was given: its text, then `finished` or the kind of the fault. */
export class NotingSink implements StreamSink {
  text = "";
  readonly ends: string[] = [];

  onBytes(bytes: Uint8Array): void {
    if (this.ends.length > 0) throw new Error("A stream went on after its end.");
    this.text += new TextDecoder().decode(bytes);
  }

  onFinished(): void {
    this.ends.push("finished");
  }

  onFault({ kind }: { readonly kind: string }): void {
    this.ends.push(kind);
  }

  onError({ code }: { readonly code: string | null }): void {
    this.ends.push(String(code));
  }
}
