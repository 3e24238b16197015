import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createWorkplace, readUntil, type Workplace } from "./test-support.ts";

let workplace: Workplace;
let started: Bun.Subprocess[] = [];

beforeEach(async () => {
  workplace = await createWorkplace();
  started = [];
});

afterEach(async () => {
  for (const process of started) process.kill("SIGKILL");
  await Promise.all(started.map((process) => process.exited));
  await workplace.remove();
});

/** A file that says no more than a free port, so that the sandbox models are served. */
async function freePort(rest = ""): Promise<string> {
  const path = join(workplace.directory, "tollgate.yaml");
  await writeFile(path, `server: { port: 0 }\n${rest}`);
  return path;
}

function start(words: readonly string[] = []) {
  const process = workplace.start(["start", ...words]);
  started.push(process);
  return process;
}

describe("tollgate start", () => {
  test("at a first start it prints commands that work when they are pasted", async () => {
    await freePort();
    const gateway = start();
    const [, chat = "", record = ""] = await readUntil(
      gateway.stdout,
      /answer:\n\n(  curl -sN [^]+?)\n\nThen read its usage and what it cost:\n\n(  curl [^\n]+)\n/,
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
    const created = await workplace.run(["keys", "create", "--name", "mine", "--json"]);
    expect(created.exitCode).toBe(0);
    const gateway = start();
    await readUntil(gateway.stdout, /"listening"/);
    gateway.kill("SIGINT");
    expect(await gateway.exited).toBe(0);
    expect((await workplace.run(["keys", "list"])).stdout.trim().split("\n")).toHaveLength(2);
  });

  test("the prices in force can be shown", async () => {
    await freePort();
    expect(await workplace.run(["prices", "show"])).toMatchObject({ exitCode: 1, stdout: "" });
    const gateway = start();
    await readUntil(gateway.stdout, /Ask for a streamed answer/);
    const { stdout } = await workplace.run(["prices", "show"]);
    expect(stdout).toStartWith("Price list version 1\n");
    expect(stdout).toMatch(/^sandbox-chat +output +2\.00 +1M_tokens$/m);
    const shown = await workplace.run(["prices", "show", "sandbox-chat", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ version: 1, models: [{ id: "sandbox-chat" }] });
    expect(await workplace.run(["prices", "show", "nothing"])).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("a taken port is refused in one line", async () => {
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const path = join(workplace.directory, "taken.yaml");
    await writeFile(path, `server: { port: ${taken.port} }`);
    const { exitCode, stderr } = await workplace.run(["start", "--config", path]);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(`tollgate: cannot listen on 127.0.0.1:${taken.port}: the port is taken.`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    await taken.stop(true);
  });

  test("a wrong configuration is refused with every error", async () => {
    const path = await freePort("log: { level: loud }\nextra: 1");
    const { exitCode, stdout, stderr } = await workplace.run(["start"]);
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
  test("listens, says where, and stops on a signal", async () => {
    const sandbox = workplace.start(["sandbox", "--port", "0"]);
    started.push(sandbox);
    const [, url = ""] = await readUntil(sandbox.stdout, /base_url: "(http:\/\/127\.0\.0\.1:\d+\/v1)"/);
    expect((await fetch(`${url}/models`)).status).toBe(200);
    sandbox.kill("SIGTERM");
    expect(await sandbox.exited).toBe(0);
  });
});
