import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandDirectory, readUntil, type CommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;
let started: Bun.Subprocess[] = [];

beforeEach(async () => {
  program = await createCommandDirectory();
  started = [];
});

afterEach(async () => {
  for (const process of started) process.kill("SIGKILL");
  await Promise.all(started.map((process) => process.exited));
  await program.remove();
});

/** A file with only a free port, so that the sandbox models are served. */
async function freePort(rest = ""): Promise<string> {
  const path = join(program.directory, "tollgate.yaml");
  await writeFile(path, `server: { port: 0 }\n${rest}`);
  return path;
}

function start(words: readonly string[] = []) {
  const process = program.start(["start", ...words]);
  started.push(process);
  return process;
}

describe("tollgate start", () => {
  test("the first start prints commands that work", async () => {
    await freePort();
    const gateway = start();
    const [, chat = "", record = ""] = await readUntil(
      gateway.stdout,
      /request:\n\n(  curl -sN [^]+?)\n\nThen read its usage and cost:\n\n(  curl [^\n]+)\n/,
    );
    const answer = await Bun.$`sh -c ${chat}`.quiet().text();
    expect(answer).toEndWith("data: [DONE]\n\n");
    const usage = JSON.parse(await Bun.$`sh -c ${record}`.quiet().text());
    expect(usage).toMatchObject({ object: "usage.request", model: "sandbox-chat", stream: true });
    expect(usage.billing.amount_microusd).toBeGreaterThan(0);
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(await gateway.stderr.text()).toBe("");
  });

  test("a later start prints no key", async () => {
    await freePort();
    const created = await program.run(["keys", "create", "--name", "mine", "--json"]);
    expect(created.exitCode).toBe(0);
    const gateway = start();
    await readUntil(gateway.stdout, /"listening"/);
    gateway.kill("SIGINT");
    expect(await gateway.exited).toBe(0);
    expect((await program.run(["keys", "list"])).stdout.trim().split("\n")).toHaveLength(2);
  });

  test("prices show prints the prices in force, and those of the configuration before the first start", async () => {
    await freePort();
    const before = await program.run(["prices", "show"]);
    expect(before).toMatchObject({ exitCode: 0, stderr: "" });
    expect(before.stdout).toStartWith("Prices of the configuration, in force as version 1 once the gateway starts\n");
    expect(before.stdout).toMatch(/^sandbox-chat +output +2\.00 +1M_tokens +configuration, /m);
    const planned = await program.run(["prices", "show", "sandbox-chat", "--json"]);
    expect(JSON.parse(planned.stdout)).toMatchObject({ version: null, models: [{ id: "sandbox-chat" }] });
    expect(await program.run(["prices", "show", "nothing"])).toMatchObject({ exitCode: 1, stdout: "" });

    const gateway = start();
    await readUntil(gateway.stdout, /Send a streaming request/);
    const { stdout } = await program.run(["prices", "show"]);
    expect(stdout).toStartWith("Price list version 1\n");
    expect(stdout).toMatch(/^sandbox-chat +output +2\.00 +1M_tokens +configuration, /m);
    const shown = await program.run(["prices", "show", "sandbox-chat", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ version: 1, models: [{ id: "sandbox-chat" }] });
    expect(await program.run(["prices", "show", "nothing"])).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("a port in use is reported in one line", async () => {
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const path = join(program.directory, "taken.yaml");
    await writeFile(path, `server: { port: ${taken.port} }`);
    const { exitCode, stderr } = await program.run(["start", "--config", path]);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(`tollgate: cannot listen on 127.0.0.1:${taken.port}: the port is in use.`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    await taken.stop(true);
  });

  test("an invalid configuration is reported with all problems", async () => {
    const path = await freePort("log: { level: loud }\nextra: 1");
    const { exitCode, stdout, stderr } = await program.run(["start"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("log.level");
    expect(stderr).toContain("extra");
    expect(path).toEndWith("tollgate.yaml");
  });

  test("a second signal stops at once", async () => {
    await freePort("sandbox: { enabled: true }");
    const gateway = start();
    const [, url = "", key = ""] = await readUntil(
      gateway.stdout,
      /curl -sN (http:\S+)\/v1\/chat[^]*?Bearer (\S+)"[^]*Then read/,
    );
    const stalled = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sandbox-chat",
        stream: true,
        messages: [{ role: "user", content: '[[sandbox: {"chunk_delay_ms": 5000}]] hello to all of you' }],
      }),
    });
    expect(stalled.status).toBe(200);
    gateway.kill("SIGTERM");
    await readUntil(gateway.stdout, /"stopping"/);
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(143);
  });
});

describe("tollgate sandbox", () => {
  test("listens, prints its address, and stops on a signal", async () => {
    const sandbox = program.start(["sandbox", "--port", "0"]);
    started.push(sandbox);
    const [, url = ""] = await readUntil(sandbox.stdout, /base_url: "(http:\/\/127\.0\.0\.1:\d+\/v1)"/);
    expect((await fetch(`${url}/models`)).status).toBe(200);
    sandbox.kill("SIGTERM");
    expect(await sandbox.exited).toBe(0);
  });
});
