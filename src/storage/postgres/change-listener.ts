import { Client, type ClientConfig, escapeIdentifier } from "pg";
import { messageOf } from "../storage-error.ts";
import type { StorageLog } from "../storage.ts";

export interface ChangeHandlers {
  /** Something changed; the payload names it. */
  readonly onChange: (payload: string) => void;
  /** The listener begins to hear, or no longer hears: what was heard before may be out of date. */
  readonly onBreak: () => void;
}

export interface ChangeListener {
  /** Whether every change committed from now on will be heard. */
  readonly listening: boolean;
  close(): Promise<void>;
}

interface ListenerSettings extends ChangeHandlers {
  readonly config: ClientConfig;
  readonly channel: string;
  readonly log: StorageLog;
}

/** The interval at which the connection is tested: a network may go silent without closing it. */
const heartbeatMs = 3_000;
const minPauseMs = 100;
const maxPauseMs = 5_000;

/** Listens on a Postgres channel with a separate connection, which is replaced whenever it breaks. */
export function listenForChanges(settings: ListenerSettings): ChangeListener {
  const { config, channel, log, onChange, onBreak } = settings;
  let client: Client | null = null;
  let listening = false;
  let closed = false;
  let pauseMs = minPauseMs;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client(config);
    client = fresh;
    fresh.on("notification", (notification) => onChange(notification.payload ?? ""));
    fresh.on("error", (error) => lose(fresh, error));
    fresh.on("end", () => lose(fresh, new Error("the connection was closed")));
    try {
      await fresh.connect();
      await fresh.query(`listen ${escapeIdentifier(channel)}`);
    } catch (error) {
      lose(fresh, error);
      return;
    }
    if (client !== fresh) return;
    pauseMs = minPauseMs;
    onBreak();
    listening = true;
  }

  function lose(lost: Client, reason: unknown): void {
    if (client !== lost) return;
    client = null;
    listening = false;
    onBreak();
    void lost.end().catch(() => undefined);
    if (closed) return;
    log.warn(
      { error: messageOf(reason) },
      "changes of keys cannot be announced; each request reads its key from the storage",
    );
    retry = setTimeout(() => void connect(), pauseMs);
    retry.unref();
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }

  const heartbeat = setInterval(() => {
    const asked = client;
    if (asked === null || !listening) return;
    asked.query("select 1").catch((error: unknown) => lose(asked, error));
  }, heartbeatMs);
  heartbeat.unref();
  void connect();

  return {
    get listening() {
      return listening;
    },
    async close() {
      closed = true;
      clearInterval(heartbeat);
      clearTimeout(retry);
      const last = client;
      client = null;
      listening = false;
      await last?.end().catch(() => undefined);
    },
  };
}
