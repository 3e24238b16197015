import type { TestGateway } from "../gateway.testkit.ts";

/** A name that runs a script if it is taken for markup. */
export const hostile = `<img src=x onerror="window.hasRun=true">`;

/** Fills a gateway with keys, accounts, backends and records, hostile names among them. */
export async function fillGateway(gateway: TestGateway): Promise<void> {
  const { key: admin } = await gateway.newKey({ admin: true });
  const ask = async (method: string, path: string, body: unknown, key = admin) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await gateway.fetch(path, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as { readonly key?: string };
  };
  await ask("POST", "/api/admin/accounts", { id: "team-a", name: "Team A", mode: "prepaid" });
  await ask("POST", "/api/admin/accounts", { id: "team-x", name: hostile });
  await ask("POST", "/api/admin/accounts/team-a/entries", { kind: "credit", amount_microusd: 5_000_000 });
  await ask("POST", "/api/admin/keys", { name: hostile });
  const { key = "" } = await ask("POST", "/api/admin/keys", { name: "Support chat", tags: { team: "support" } });
  await ask("POST", "/api/admin/budgets", { account: "default", amount_microusd: 9_000_000, per: "month" });
  const backend = { provider: "tavily", api_key: "tvly-0123456789", base_url: "http://127.0.0.1:9" };
  await ask("POST", "/api/admin/search-backends", { id: "first", name: hostile, priority: 2, ...backend });
  await ask("POST", "/api/admin/search-backends", { id: "second", name: "Second", priority: 3, ...backend });
  const vendor = {
    id: "vendor",
    dialect: "openai-chat",
    base_url: `${gateway.sandbox.url}/v1`,
    api_key: "sk-0123456789abcdef",
  };
  await ask("POST", "/api/admin/providers", vendor);
  const targets = [{ provider: "vendor", model: "sandbox-status-500" }];
  await ask("POST", "/api/admin/models", {
    id: "stored-model",
    name: hostile,
    description: hostile,
    targets,
  });
  await ask("PUT", "/api/admin/routes/either", { targets: ["stored-model", "sandbox-chat"] });
  const messages = [{ role: "user", content: hostile }];
  for (const user of ["ada", hostile]) {
    await ask("POST", "/v1/chat/completions", { model: "sandbox-chat", user, messages }, key);
  }
  await ask("POST", "/v1/chat/completions", { model: hostile, messages }, key);
  await ask("POST", "/v1/search", { query: hostile }, key);
}
