import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "pg";

const script = join(import.meta.dir, "postgres.ts");
const { DATABASE_URL: _given, ...environment } = process.env;

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function untilGone(url: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (await answers(url)) {
    if (performance.now() > deadline) throw new Error("Postgres is still running.");
    await Bun.sleep(20);
  }
}

test("runs a command with a database, returns its exit code, and stops the server", async () => {
  const command = ["sh", "-c", "printf %s $DATABASE_URL; exit 7"];
  const child = Bun.spawn([process.execPath, script, "--", ...command], { env: environment, stdout: "pipe" });
  const url = await new Response(child.stdout).text();
  expect(await child.exited).toBe(7);
  expect(url).toStartWith("postgres://");
  await untilGone(url);
}, 120_000);

test("the server stops when its process is killed", async () => {
  const code = `
    const { startPostgres } = await import(${JSON.stringify(script)});
    const { url } = await startPostgres();
    process.stdout.write(url);
    setInterval(() => {}, 1_000);`;
  const child = Bun.spawn([process.execPath, "-e", code], { env: environment, stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const url = new TextDecoder().decode(value);
  expect(await answers(url)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  await untilGone(url);
}, 120_000);
