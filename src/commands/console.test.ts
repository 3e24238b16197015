import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandDirectory, readUntil, type CommandDirectory } from "./command.testkit.ts";

/** All that a gateway prints, which is stopped once it listens and has had the time to print a link. */
async function outputOf(gateway: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<string> {
  let output = "";
  let isStopping = false;
  const decoder = new TextDecoder();
  for await (const bytes of gateway.stdout) {
    output += decoder.decode(bytes, { stream: true });
    // It stops after what the start prints. A second signal would end it at once.
    if (output.includes('"listening"') && !isStopping) gateway.kill("SIGTERM");
    isStopping ||= output.includes('"listening"');
  }
  expect(await gateway.exited).toBe(0);
  expect(output).toContain('"stopped"');
  return output;
}

let program: CommandDirectory;
beforeEach(async () => {
  program = await createCommandDirectory();
  await writeFile(join(program.directory, "tollgate.yaml"), "server: { port: 0 }\n");
});
afterEach(() => program.remove());

test("the first start prints a link that makes the owner, later ones do not, and a lost password is reset", async () => {
  const gateway = program.start(["start"]);
  const [, origin = "", token = ""] = await readUntil(
    gateway.stdout,
    /Open the console, for one hour: (http:\/\/127\.0\.0\.1:\d+)\/console\/set-up#token=([\w-]{43})\n/,
  );
  const redeem = async (link: string, body: object) => {
    const response = await fetch(`${origin}/console/auth-setup`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ token: link, ...body }),
    });
    return response.status;
  };
  const tokenIn = (text: string) => /#token=([\w-]{43})$/.exec(text.trim())?.[1] ?? "";
  const owner = { name: "Owner", email: "owner@example.com", password: "a long password of tests" };
  // A newer link takes the place of the one before.
  const link = await program.run(["console", "link"]);
  expect(link).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await redeem(token, owner)).toBe(404);
  expect(await redeem(tokenIn(link.stdout), owner)).toBe(200);

  expect(await program.run(["console", "link"])).toMatchObject({
    exitCode: 1,
    stderr: "tollgate: there is a user already; 'tollgate console reset EMAIL' gives one a new password\n",
  });
  const users = await program.run(["console", "users", "--json"]);
  expect(JSON.parse(users.stdout)).toMatchObject({ data: [{ email: "owner@example.com", role: "owner" }] });
  expect((await program.run(["console", "users"])).stdout).toContain("owner@example.com");
  expect(await program.run(["console", "reset", "nobody@example.com"])).toMatchObject({
    exitCode: 1,
    stderr: "tollgate: there is no user 'nobody@example.com'\n",
  });
  const reset = await program.run(["console", "reset", "Owner@Example.com", "--json"]);
  const { url } = JSON.parse(reset.stdout) as { url: string };
  expect(await redeem(tokenIn(url), { password: "another long password" })).toBe(200);
  expect((await program.run(["changes", "--kind", "console_user"])).stdout).toContain("owner@example.com (console)");
  gateway.kill("SIGTERM");
  expect(await gateway.exited).toBe(0);

  expect(await outputOf(program.start(["start"]))).not.toContain("Open the console");
}, 30_000);

test("a gateway without a console prints no link", async () => {
  await writeFile(join(program.directory, "tollgate.yaml"), "server: { port: 0 }\nconsole: { enabled: false }\n");
  expect(await outputOf(program.start(["start"]))).not.toContain("Open the console");
});
