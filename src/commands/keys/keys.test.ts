import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandDirectory, type CommandDirectory } from "../command.testkit.ts";

const key = /sk-tg-([0-9A-Za-z]{10})-[0-9A-Za-z]{46}/;

let program: CommandDirectory;

beforeAll(async () => {
  program = await createCommandDirectory();
});

afterAll(() => program.remove());

async function json(words: readonly string[]) {
  const { exitCode, stdout, stderr } = await program.run(words);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("tollgate keys", () => {
  test("create prints the key once, and list never", async () => {
    const { exitCode, stdout } = await program.run(["keys", "create", "--name", "plain"]);
    expect(exitCode).toBe(0);
    const [whole, id] = key.exec(stdout) ?? [];
    expect(stdout.split(String(whole))).toHaveLength(2);
    const list = await program.run(["keys", "list"]);
    expect(list.stdout).toMatch(new RegExp(`^${id} +plain +active +all models; all endpoints +none`, "m"));
    expect(list.stdout).not.toMatch(key);
  });

  test("create --json prints id, key, scopes, limits and expiry", async () => {
    const before = Math.floor(Date.now() / 1000);
    const created = await json(
      "keys create --name full --models sandbox-chat,sandbox-reasoning --endpoints chat,messages --rpm 60 --tpm 1000 --concurrency 4 --expires 30d --admin --json".split(
        " ",
      ),
    );
    expect(created).toMatchObject({
      id: key.exec(created.key)?.[1],
      name: "full",
      status: "active",
      admin: true,
      models: ["sandbox-chat", "sandbox-reasoning"],
      endpoints: ["chat", "messages"],
      limits: { requests_per_minute: 60, tokens_per_minute: 1000, concurrent_requests: 4 },
      disabled_at: null,
    });
    expect(created.expires_at).toBeGreaterThanOrEqual(before + 30 * 86_400);
    expect(created.expires_at).toBeLessThanOrEqual(before + 30 * 86_400 + 60);
    const { data } = await json(["keys", "list", "--json"]);
    const { key: _secret, ...shown } = created;
    expect(data).toContainEqual(shown);
  });

  test("domains are shown in punycode, a public suffix is noted, and what is no domain is refused", async () => {
    const created = await json("keys create --name searcher --domains Bücher.example,example.com --json".split(" "));
    expect(created).toMatchObject({ domains: ["xn--bcher-kva.example", "example.com"] });
    const noted = await program.run("keys create --name uk --domains gov.uk".split(" "));
    expect([noted.exitCode, noted.stderr]).toEqual([0, expect.stringContaining("gov.uk is a public suffix")]);
    expect(noted.stdout).toContain("all models; all endpoints; searches of gov.uk");
    for (const domains of ["https://example.com", "*.example.com", "com", "a.test,b..test"]) {
      const { exitCode, stderr } = await program.run(["keys", "create", "--name", "none", "--domains", domains]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("is not a domain")]);
    }
  });

  test("IP ranges are written in one way, changed and removed, and what is no range is refused", async () => {
    const created = await json("keys create --name ranged --ip 192.0.2.0/24,2001:DB8:0::/32 --json".split(" "));
    expect(created).toMatchObject({ ip_ranges: ["192.0.2.0/24", "2001:db8::/32"] });
    expect((await program.run(["keys", "list"])).stdout).toContain("from 192.0.2.0/24,2001:db8::/32");
    const change = (ranges: string) => json(["keys", "change", created.id, "--ip", ranges, "--json"]);
    expect(await change("198.51.100.7")).toMatchObject({ ip_ranges: ["198.51.100.7"] });
    expect(await change("all")).toMatchObject({ ip_ranges: null });
    for (const ranges of [
      "192.0.2.1/24",
      "localhost",
      Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`).join(","),
    ]) {
      const { exitCode, stderr } = await program.run(["keys", "create", "--name", "none", "--ip", ranges]);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/is not an IP address or a range|at most 100/)]);
    }
  });

  test("fixed tags are shown, and a malformed one is refused by name", async () => {
    const created = await json("keys create --name tagged --tag team=search --tag env=prod --json".split(" "));
    expect(created.tags).toEqual({ team: "search", env: "prod" });
    const { data } = await json(["keys", "list", "--json"]);
    expect(data).toContainEqual(expect.objectContaining({ id: created.id, tags: { team: "search", env: "prod" } }));
    expect((await program.run(["keys", "list"])).stdout).toMatch(/tagged .* env=prod, team=search$/m);

    const options = ["--name", "bad", "--tag"];
    const malformed = await program.run(["keys", "create", ...options, "Team=search"]);
    expect({ ...malformed, stderr: malformed.stderr.includes("name=value") }).toMatchObject({ stderr: true });
    expect(malformed.exitCode).not.toBe(0);
    const twice = await program.run(["keys", "create", ...options, "team=a", "--tag", "team=b"]);
    expect(twice.stderr).toContain("The tag 'team' is given twice.");
    const many = Array.from({ length: 17 }, (_, index) => ["--tag", `n${index}=v`]).flat();
    const tooMany = await program.run(["keys", "create", "--name", "many", ...many]);
    expect(tooMany).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("there are more than 16") });
  });

  test("create prints a note if a model is not configured", async () => {
    const { exitCode, stderr } = await program.run([
      "keys",
      "create",
      "--name",
      "later",
      "--models",
      "sandbox-chat,new/*",
    ]);
    expect(exitCode).toBe(0);
    expect(stderr).toBe("tollgate: note: no configured model matches new/*\n");
  });

  test("disable disables the key", async () => {
    const { id } = await json(["keys", "create", "--name", "off", "--json"]);
    expect(await program.run(["keys", "disable", id])).toMatchObject({ exitCode: 0, stderr: "" });
    const { data } = await json(["keys", "list", "--json"]);
    expect(data.find((item: { id: string }) => item.id === id).status).toBe("disabled");
    expect(await json(["keys", "disable", id, "--json"])).toMatchObject({ id, status: "disabled" });
  });

  test("enable puts a key back into use, and revoke is disable by another name", async () => {
    const { id } = await json(["keys", "create", "--name", "on", "--json"]);
    expect(await json(["keys", "revoke", id, "--json"])).toMatchObject({ id, status: "disabled" });
    expect(await json(["keys", "enable", id, "--json"])).toMatchObject({ id, status: "active", disabled_at: null });
  });

  test("show shows what list does, and change sets what is given", async () => {
    const create =
      "keys create --name first --rpm 5 --tpm 50 --models sandbox-chat --tag team=search --expires 1h --json";
    const { key: secret, ...created } = await json(create.split(" "));
    expect(await json(["keys", "show", secret, "--json"])).toEqual(created);
    const change = `keys change ${created.id} --name second --rpm none --concurrency 3 --models all --expires never`;
    const changed = await json(`${change} --endpoints chat --admin --json`.split(" "));
    const limits = { requests_per_minute: null, tokens_per_minute: 50, concurrent_requests: 3 };
    const settings = { name: "second", models: null, endpoints: ["chat"], expires_at: null, admin: true, limits };
    expect(changed).toEqual({ ...created, ...settings });
    const again = `keys change ${created.id} --no-admin --tag team=ads --tag env=prod --json`;
    expect(await json(again.split(" "))).toMatchObject({ admin: false, tags: { team: "ads", env: "prod" }, limits });
    expect((await json(["keys", "change", created.id, "--no-tags", "--json"])).tags).toEqual({});
    const shown = (await program.run(["keys", "show", created.id])).stdout;
    expect(shown).toContain("Name:     second\nStatus:   active\n");
    expect(shown).not.toContain(secret);
    const { data } = await json(["changes", "--kind", "key", "--id", created.id, "--json"]);
    expect(data.map(({ action }: { action: string }) => action)).toEqual(["change", "change", "change", "create"]);
    expect(data[2]).toMatchObject({ before: { name: "first" }, after: settings });
  });

  test.each([
    ["", "nothing to change"],
    ["--rpm 0", "a whole number of at least 1"],
    ["--rpm many", "a whole number of at least 1"],
    ["--models a*b", "model names"],
    ["--endpoints chatter", "Unknown: chatter"],
    ["--expires soon", "30s"],
    ["--tag Team=x", "name=value"],
    ["--tag team=x --no-tags", "exclude each other"],
  ])("change %s is refused", async (options, message) => {
    const ended = await program.run(["keys", "change", "0000000000", ...options.split(" ").filter(Boolean)]);
    expect(ended).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("rotate keeps the id and prints a new key, and accepts a whole key", async () => {
    const created = await json(["keys", "create", "--name", "turn", "--rpm", "5", "--json"]);
    const rotated = await json(["keys", "rotate", created.key, "--overlap", "1h", "--json"]);
    expect(rotated).toMatchObject({ id: created.id, name: "turn", limits: { requests_per_minute: 5 } });
    expect(key.exec(rotated.key)?.[1]).toBe(created.id);
    expect(rotated.key).not.toBe(created.key);
    expect(rotated.old_secret_expires_at).toBeGreaterThan(Date.now() / 1000 + 3_500);
    const { stdout } = await program.run(["keys", "rotate", created.id]);
    expect(stdout).toMatch(key);
    expect(stdout).toContain("no longer valid");
  });

  test.each([["disable"], ["rotate"], ["show"], ["enable"]])(
    "%s of an unknown key is a failure that shows no secret",
    async (command) => {
      expect(await program.run(["keys", command, "0000000000"])).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: "tollgate: unknown key ID 0000000000. See: tollgate keys list\n",
      });
      const mistyped = await program.run(["keys", command, "sk-tg_0000000000-mistyped-secret"]);
      expect(mistyped.exitCode).toBe(1);
      expect(mistyped.stderr).not.toContain("mistyped");
    },
  );

  test("a storage that cannot be opened is a failure without a stack", async () => {
    const environment = { TOLLGATE_STORAGE_URL: `sqlite:${join(program.directory, "text.db")}` };
    await writeFile(join(program.directory, "text.db"), "this is no database ".repeat(100));
    const { exitCode, stdout, stderr } = await program.run(["keys", "list"], environment);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^tollgate: .+\n$/);
  });
});
