import { availableParallelism } from "node:os";
import type { AuditPart, AuditPartResult } from "../queries/audit-queries.ts";
import type { RollupSalt } from "../usage/rollup-audit.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { AuditTarget } from "./audit-reader.ts";
import type { AuditQuestion } from "./audit-thread.ts";

/** More would wait for the disk. */
const maxThreads = 4;

/** Threads that share the parts of an audit, each with a connection of its own. */
export interface AuditThreads {
  /** Begins a transaction in each. */
  begin(snapshot: string | null): Promise<void>;
  /** Does these parts, each in the thread that is free first. Throws what the first of them that fails throws. */
  doParts(
    kind: StorageKind,
    parts: readonly AuditPart[],
    salt: RollupSalt,
    look: (result: AuditPartResult) => void,
  ): Promise<void>;
  stop(): void;
}

/**
 * Starts as many threads as there are processors, and waits for their connections.
 * @param isBackground half as many, which yield to all other processes once they have begun
 */
export async function startAuditThreads(target: AuditTarget, isBackground: boolean): Promise<AuditThreads> {
  const processors = Math.min(availableParallelism(), maxThreads);
  const threads = Array.from({ length: isBackground ? Math.ceil(processors / 2) : processors }, startThread);
  const stop = () => threads.forEach((thread) => thread.stop());
  const askAll = async (question: AuditQuestion) => void (await Promise.all(threads.map(({ ask }) => ask(question))));
  try {
    await askAll({ ask: "open", target });
  } catch (error) {
    stop();
    throw error;
  }
  return {
    begin: (snapshot) => askAll({ ask: "begin", snapshot, isBackground }),
    async doParts(kind, parts, salt, look) {
      const left = parts.values();
      const work = async ({ ask }: AuditThread) => {
        // All threads take from the same iterator.
        for (const part of left) look((await ask({ ask: "part", kind, part, salt })) as AuditPartResult); // As asked.
      };
      await Promise.all(threads.map(work));
    },
    stop,
  };
}

interface AuditThread {
  /** Asks one question, after the answer to the one before. */
  readonly ask: (question: AuditQuestion) => Promise<unknown>;
  stop(): void;
}

type Answer = { readonly value: unknown } | { readonly error: string };

function startThread(): AuditThread {
  const worker = new Worker(new URL("./audit-thread.ts", import.meta.url));
  let current: PromiseWithResolvers<unknown> | null = null;
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    if ("error" in data) current?.reject(new Error(data.error));
    else current?.resolve(data.value);
  });
  worker.addEventListener("error", ({ message }) => current?.reject(new Error(message)));
  return {
    ask(question) {
      current = Promise.withResolvers();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      worker.postMessage(question);
      return current.promise;
    },
    stop: () => worker.terminate(),
  };
}
