import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAuthenticator, type PasskeyOptions } from "./authenticator.testkit.ts";
import {
  type Browser,
  type ConsoleGateway,
  ownerEmail,
  createBrowser,
  startConsoleGateway,
  tokenIn,
} from "./console.testkit.ts";

/** Passkeys, with a device in software. Browsers have none for addresses without a name. */

let running: ConsoleGateway;
let site: string;
let owner: Browser;
const device = createAuthenticator();
beforeAll(async () => {
  running = await startConsoleGateway();
  site = running.gateway.url.replace("127.0.0.1", "localhost");
  await running.owner();
  owner = browser();
  await owner.signIn(ownerEmail);
});
afterAll(() => running.stop());

/** A browser at `localhost`. */
function browser(): Browser {
  const made = createBrowser(running.gateway.url, site);
  const send: Browser["send"] = made.send.bind(made);
  made.send = (method, path, body, headers) => send(method, path, body, { host: new URL(site).host, ...headers });
  return made;
}

async function optionsOf(asking: Browser, path: string): Promise<PasskeyOptions> {
  const answer = await asking.send("GET", `/console/auth/passkey/${path}`);
  expect(answer.status).toBe(200);
  return answer.body as unknown as PasskeyOptions;
}

async function signIn(asking: Browser, changes?: Parameters<typeof device.get>[2], origin = site) {
  const options = await optionsOf(asking, "generate-authenticate-options");
  const response = device.get(options, origin, changes);
  return asking.send("POST", "/console/auth/passkey/verify-authentication", { response });
}

test("a passkey is added by a user who is signed in", async () => {
  const nobody = browser();
  expect((await nobody.send("GET", "/console/auth/passkey/generate-register-options")).status).toBe(401);
  const options = await optionsOf(owner, "generate-register-options");
  expect(options.rp?.id).toBe("localhost");
  const response = device.create(options, site);
  const forged = await nobody.send("POST", "/console/auth/passkey/verify-registration", { response });
  expect(forged.status).toBe(401);
  const added = await owner.send("POST", "/console/auth/passkey/verify-registration", { response, name: "Laptop" });
  expect(added).toMatchObject({ status: 200, body: { name: "Laptop" } });
  const again = await owner.send("POST", "/console/auth/passkey/verify-registration", { response, name: "Laptop" });
  expect(again.status).toBe(400);
});

test("a passkey signs in, without a password and a token in the answer", async () => {
  const asking = browser();
  const answer = await signIn(asking);
  expect(answer).toMatchObject({ status: 200, body: { object: "console_sign_in" } });
  expect((await asking.refresh()).body["user"]).toMatchObject({ email: ownerEmail });
});

test.each([
  ["that did not verify its user", { isUnverified: true }, undefined],
  ["with another key", { isForged: true }, undefined],
  ["for another site", {}, "https://evil.example"],
] as const)("a passkey %s signs in no one", async (_title, changes, origin) => {
  const asking = browser();
  const answer = await signIn(asking, changes, origin ?? site);
  expect(answer).toMatchObject({ status: 401, body: { error: { code: "sign_in_failed" } } });
  expect((await asking.refresh()).status).toBe(401);
});

test("a challenge is used once, and by the browser that asked for it", async () => {
  const asking = browser();
  const options = await optionsOf(asking, "generate-authenticate-options");
  const other = browser();
  const response = device.get(options, site);
  const path = "/console/auth/passkey/verify-authentication";
  expect((await other.send("POST", path, { response })).status).toBe(401);
  const cookies = [...asking.cookies];
  expect((await asking.send("POST", path, { response })).status).toBe(200);
  for (const [name, value] of cookies) other.cookies.set(name, value);
  expect((await other.send("POST", path, { response })).status).toBe(401);
});

test("a user lists, names and removes passkeys, and no one else's", async () => {
  const stranger = await running.invited(owner, { email: "stranger@example.com", role: "operator" });
  const [passkey] = (await owner.send("GET", "/console/auth/passkey/list-user-passkeys")).body as unknown as {
    id: string;
  }[];
  const id = passkey?.id ?? "";
  expect((await stranger.send("GET", "/console/auth/passkey/list-user-passkeys")).body as unknown).toEqual([]);
  expect((await stranger.send("POST", "/console/auth/passkey/delete-passkey", { id })).status).not.toBe(200);
  expect((await owner.send("POST", "/console/auth/passkey/update-passkey", { id, name: "Phone" })).status).toBe(200);
  expect((await owner.send("POST", "/console/auth/passkey/delete-passkey", { id })).status).toBe(200);
  expect((await signIn(browser())).status).toBe(401);
});

test("a reset removes the passkeys and identities of its user, and the trail says how many", async () => {
  const email = "taken-over@example.com";
  const user = browser();
  await running.invited(owner, { email, role: "operator" });
  await user.signIn(email);
  const attacker = createAuthenticator();
  const response = attacker.create(await optionsOf(user, "generate-register-options"), site);
  await user.send("POST", "/console/auth/passkey/verify-registration", { response, name: "Attacker" });
  const id = (await running.storage.console.findUserByEmail(email))?.id;
  const reset = await owner.send("POST", `/console/users/${id}/reset`);
  const token = tokenIn(reset.body["link"]);
  const fresh = browser();
  expect((await fresh.send("POST", "/console/auth-setup", { token, password: "another long password" })).status).toBe(
    200,
  );

  const asking = browser();
  const late = attacker.get(await optionsOf(asking, "generate-authenticate-options"), site);
  const answer = await asking.send("POST", "/console/auth/passkey/verify-authentication", { response: late });
  expect(answer).toMatchObject({ status: 401, body: { error: { code: "sign_in_failed" } } });
  await fresh.refresh();
  expect((await fresh.send("GET", "/console/auth/passkey/list-user-passkeys")).body as unknown).toEqual([]);
  const [change] = await running.storage.changes.list({ kind: "console_user", id: id ?? "", limit: 1, after: null });
  expect(change).toMatchObject({
    action: "reset_password",
    before: { email, passkeys: 1, single_sign_on: 0 },
    after: { email, passkeys: 0, single_sign_on: 0 },
  });
});
