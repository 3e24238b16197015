import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ownerEmail } from "../console/console.testkit.ts";
import { clientId, clientSecret, startProvider, type TestProvider } from "../console/oidc-provider.testkit.ts";
import { type DrivenConsole, driveConsole, signIn, whyNoBrowser } from "./browser.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("signing in and out of the console", () => {
  let provider: TestProvider;
  let driven: DrivenConsole;
  beforeAll(async () => {
    provider = startProvider();
    const oidc = { name: "Test SSO", issuer: provider.issuer, clientId, clientSecret, scopes: ["openid", "email"] };
    driven = await driveConsole({ console: { oidc } });
    await (await driven.asOwner()).context.close();
  });
  afterAll(async () => {
    await driven?.stop();
    await provider?.stop();
  });

  test("a passkey of a device is added, named, signs in without a password, and is removed", async () => {
    // Browsers have passkeys for `localhost`, and for no bare address.
    const site = driven.url.replace("127.0.0.1", "localhost");
    const { page, context, faults } = await driven.open();
    const devices = await context.newCDPSession(page);
    await devices.send("WebAuthn.enable");
    await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${site}/console/settings`);
    await page.getByLabel("Email").fill(ownerEmail);
    await page.getByLabel("Password").fill("a long password of tests");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("The passkey is added").waitFor();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("My laptop");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const entry = page.getByRole("listitem").filter({ hasText: "My laptop" });
    await entry.waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goto(`${site}/console/settings`);
    await entry.getByRole("button", { name: "Remove" }).click();
    await page.getByText("None yet.").waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").getByText("The passkey is not known here").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a provider of single sign-on brings a user to the page that was wanted, and no stranger", async () => {
    provider.claims = { sub: "1", email: ownerEmail, email_verified: true, name: "Owner" };
    const { page, context, faults, go } = await driven.open();
    await go("/keys?range=24h");
    await page.getByRole("button", { name: "Sign in with Test SSO" }).click();
    await page.getByRole("heading", { name: "API Keys" }).waitFor();
    expect(page.url()).toBe(`${driven.url}/console/keys?range=24h`);
    await page.getByRole("button", { name: "Sign out" }).click();
    provider.claims = { sub: "2", email: "stranger@example.com", email_verified: true, name: "Stranger" };
    await page.getByRole("button", { name: "Sign in with Test SSO" }).click();
    await page.getByRole("alert").getByText("was not accepted here").waitFor();
    await go("/keys");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a session that ends while a form is open leads to the sign-in, and back to the page", async () => {
    const { page, context, go } = await driven.asOwner();
    await go("/keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Never made");
    await driven.console.storage.console.trimSessions(
      (await driven.console.storage.console.findUserByEmail(ownerEmail))?.id ?? "",
      0,
    );
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByLabel("Email").fill(ownerEmail);
    await page.getByLabel("Password").fill("a long password of tests");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "API Keys" }).waitFor();
    expect(await page.getByText("Never made").count()).toBe(0);
    await context.close();
  });

  test("an invitation is listed and revoked, and a user is removed with the admin keys that are shown", async () => {
    const owner = driven.console.browser();
    await owner.signIn(ownerEmail);
    const operator = await driven.console.invited(owner, { email: "leaving@example.com", role: "operator" });
    const made = await operator.send("POST", "/api/admin/keys", { name: "Left behind", admin: true });
    expect(made.status).toBe(201);
    await owner.send("POST", "/console/users", { email: "invited@example.com", name: "Invited", role: "operator" });

    const { page, context, faults, go } = await driven.asOwner();
    await go("/settings");
    await page.getByRole("button", { name: "Revoke the link for invited@example.com" }).click();
    await page.getByText("The link cannot be used any more").waitFor();
    await page.getByText("No link to join").waitFor();
    await page.getByRole("button", { name: "Actions for leaving@example.com" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Left behind").waitFor();
    expect(await dialog.getByLabel("Disable these keys").isChecked()).toBeTrue();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("leaving@example.com is removed").waitFor();
    await go("/keys");
    const row = page.getByRole("row").filter({ hasText: "Left behind" });
    await row.getByText("Disabled").waitFor();
    await row.getByText("by leaving@example.com").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a member who types the address of an operator's page is told of the role, and sees nothing", async () => {
    const owner = driven.console.browser();
    await owner.signIn(ownerEmail);
    await driven.console.invited(owner, { email: "member@example.com", role: "member", account_id: "default" });
    const { page, context, go } = await driven.open();
    await signIn({ page, context, faults: [], go }, driven.url, "member@example.com");
    for (const path of ["keys", "search-backends", "prices", "accounts", "changes", "jobs", "audit"]) {
      await go(`/${path}`);
      await page.getByRole("alert").first().getByText("owner or operator").waitFor();
      expect([path, await page.getByText("sk-").count()]).toEqual([path, 0]);
    }
    await go("/settings");
    await page.getByText("Passkeys").first().waitFor();
    expect(await page.getByRole("button", { name: "Invite" }).count()).toBe(0);
    expect(await page.getByText("Open invitations").count()).toBe(0);
    await context.close();
  });
});
