import { afterAll, beforeAll, expect, test } from "bun:test";
import { createInstallation, type Installation } from "../installation.testkit.ts";

/** `npm start` puts a shell between npm and the gateway: a signal to npm must still reach the gateway. */

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation();
});
afterAll(() => installation.remove());

test("SIGTERM to npm stops the gateway, after the running requests", async () => {
  const npm = Bun.spawn(["npm", "start", "--", "--config", installation.configFile], {
    cwd: `${import.meta.dir}/../..`,
    stdout: "pipe",
    stderr: "inherit",
  });
  let output = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of npm.stdout) output += decoder.decode(bytes, { stream: true });
  })();
  while (!output.includes('"listening"')) await Bun.sleep(10);
  const answering = installation.chat({ sandbox: { latency_ms: 300 } });
  await installation.sandbox.waitFor((requests) => requests.length > 0);
  npm.kill("SIGTERM");
  const response = await answering;
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  // The gateway holds npm's output open until it has ended.
  await reading;
  expect(output).toContain('"stopped"');
  await npm.exited;
}, 15_000);
