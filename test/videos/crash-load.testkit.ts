/** Callers that make films at gateways which may be killed at any moment. */
export interface CrashLoad {
  /** Begins a film at a random moment within a time, again and again until a gateway has answered with a job. */
  begin(withinMs: number): void;
  /** The jobs that callers were told of. */
  readonly told: ReadonlySet<string>;
  /** The first end that a caller saw of a job: `completed` or `failed`. */
  readonly seenEnds: ReadonlyMap<string, string>;
  /** Resolves once all films that were to be begun have begun. */
  idle(): Promise<void>;
}

const cancelledShare = 0.1;
const deletedShare = 0.03;
const tryAgainMs = 50;

/** @param urlOf the address of any gateway. */
export function startCrashLoad(urlOf: () => string, key: string): CrashLoad {
  const told = new Set<string>();
  const seenEnds = new Map<string, string>();
  const works = new Set<Promise<void>>();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  let count = 0;

  /** Null if the gateway was killed meanwhile. */
  async function ask(method: string, path: string, body: object | null) {
    try {
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${urlOf()}/v1/videos${path}`, init);
      const answer = (await response.json()) as { id?: string; status?: string };
      return response.status === 200 ? answer : null;
    } catch {
      return null;
    }
  }

  async function beginOne(withinMs: number): Promise<void> {
    await Bun.sleep(Math.random() * withinMs);
    for (;;) {
      const made = await ask("POST", "", { model: "flaky", prompt: `Film ${(count += 1)}`, seconds: 4 });
      if (made?.id !== undefined) {
        told.add(made.id);
        break;
      }
      await Bun.sleep(tryAgainMs);
    }
  }

  /** Cancels, deletes or looks at any of the jobs. */
  async function meddle(withinMs: number): Promise<void> {
    await Bun.sleep(Math.random() * withinMs);
    const id = [...told][Math.floor(Math.random() * told.size)];
    if (id === undefined) return;
    const chance = Math.random();
    if (chance < deletedShare) await ask("DELETE", `/${id}`, null);
    else if (chance < deletedShare + cancelledShare) await ask("POST", `/${id}/cancel`, null);
    const { status } = (await ask("GET", `/${id}`, null)) ?? {};
    if ((status === "completed" || status === "failed") && !seenEnds.has(id)) seenEnds.set(id, status);
  }

  function run(work: Promise<void>): void {
    const tracked = work.finally(() => works.delete(tracked));
    works.add(tracked);
  }

  return {
    begin(withinMs) {
      run(beginOne(withinMs));
      run(meddle(withinMs));
    },
    told,
    seenEnds,
    async idle() {
      while (works.size > 0) await Promise.all(works);
    },
  };
}
