/**
 * Sends chat requests through a gateway in this process, for `bun test` to count which lines they run. The environment
 * says how many (`WARM_REQUESTS`). The gateway is put together as `tollgate start` does it, with a log and SQLite in a file.
 */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatAnswers, chatAsking } from "../../bench/payload/openai-chat.ts";
import { answerModel } from "../../bench/payload/words.ts";
import { createKey } from "../../src/access/manage.ts";
import { systemClock } from "../../src/clock.ts";
import { loadConfig } from "../../src/config/load.ts";
import { startGateway } from "../../src/gateway.ts";
import { createLog } from "../../src/log.ts";

test("warm requests", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-count-files-"));
  const headers = { "content-type": "application/json" };
  const upstream = Bun.serve({ port: 0, fetch: () => new Response(chatAnswers.whole, { headers }) });
  const path = join(folder, "tollgate.yaml");
  writeFileSync(path, JSON.stringify(configuration(folder, upstream.port ?? 0)));
  const config = await loadConfig({ path, environment: {} });
  const gateway = await startGateway(config, { log: createLog(config.log) });
  try {
    const key = await createKey(gateway.keys, keySettings, systemClock, { kind: "gateway" });
    const body = chatAsking.body("warm", "json");
    for (let count = Number(process.env.WARM_REQUESTS); count > 0; count--) {
      const init = { method: "POST", headers: chatAsking.headers(key.key), body };
      const response = await fetch(`${gateway.url}/v1/chat/completions`, init);
      expect(response.status).toBe(200);
      await response.text();
    }
  } finally {
    await gateway.stop();
    await upstream.stop(true);
    rmSync(folder, { recursive: true, force: true });
  }
});

const keySettings = {
  name: "count-files",
  scopes: { models: null, endpoints: null },
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
  expiresAt: null,
  admin: false,
};

function configuration(folder: string, upstreamPort: number): object {
  return {
    server: { host: "127.0.0.1", port: 0 },
    storage: { url: `sqlite:${join(folder, "tollgate.db")}`, journal_dir: join(folder, "journal") },
    log: { format: "json" },
    providers: [
      {
        id: "upstream",
        dialect: "openai-chat",
        base_url: `http://127.0.0.1:${upstreamPort}/v1`,
        api_key: "sk-upstream",
      },
    ],
    models: [
      {
        id: "warm",
        targets: [{ provider: "upstream", model: answerModel }],
        prices: { input: 0.25, cache_read: 0.025, output: 2 },
      },
    ],
  };
}
