import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { createAuthenticator, type PasskeyOptions } from "./authenticator.testkit.ts";
import { createBrowser, ownerEmail, startConsoleGateway } from "./console.testkit.ts";

const publicUrl = "https://gateway.example";
const path = "/console/auth/passkey";

test("strangers who ask for thousands of challenges keep no one from signing in by passkey, and fill no table", async () => {
  const running = await startConsoleGateway("sqlite", { console: { publicUrl } });
  const { url, storageUrl } = running.gateway;
  const from = (address: string) => ({ origin: publicUrl, "x-forwarded-for": address });
  const browser = createBrowser(url, publicUrl);
  const user = { name: "Owner", email: ownerEmail, password: "a long password of tests" };
  const token = await running.setUpToken();
  expect((await browser.send("POST", "/console/auth-setup", { token, ...user })).status).toBe(200);
  await browser.refresh();
  const device = createAuthenticator();
  const toAdd = await browser.send("GET", `${path}/generate-register-options`);
  const added = device.create(toAdd.body as unknown as PasskeyOptions, publicUrl);
  expect((await browser.send("POST", `${path}/verify-registration`, { response: added })).status).toBe(200);

  const victim = createBrowser(url, publicUrl);
  const asked = await victim.send("GET", `${path}/generate-authenticate-options`, undefined, from("192.0.2.1"));
  // More than are stored, from sixty addresses with fewer than each may ask for.
  for (let round = 0; round < 85; round++) {
    const flood = Array.from({ length: 60 }, (_, host) =>
      fetch(`${url}${path}/generate-authenticate-options`, { headers: { "x-forwarded-for": `198.51.100.${host}` } }),
    );
    for (const response of await Promise.all(flood)) expect(response.status).toBe(200);
  }
  const response = device.get(asked.body as unknown as PasskeyOptions, publicUrl);
  const signedIn = await victim.send("POST", `${path}/verify-authentication`, { response }, from("192.0.2.1"));
  expect(signedIn.status).toBe(200);

  const database = new Database(storageUrl.replace("sqlite:", ""), { readonly: true });
  const row = database.query<{ count: number }, []>("select count(*) as count from console_verifications").get();
  database.close();
  expect(row?.count).toBeLessThanOrEqual(5_000);
  await running.stop();
}, 60_000);
