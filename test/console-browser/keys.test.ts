import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DrivenConsole, driveConsole, whyNoBrowser } from "./browser.testkit.ts";

describe.skipIf(whyNoBrowser !== null)("the API keys in the console", () => {
  let driven: DrivenConsole;
  beforeAll(async () => {
    driven = await driveConsole();
    await driven.asOwner();
  });
  afterAll(() => driven?.stop());

  const chatWith = async (key: string) => {
    const answer = await driven.console.gateway.chat({}, { headers: { authorization: `Bearer ${key}` } });
    return answer.status;
  };

  test("a key is limited to IP ranges, which are in force at once, and a wrong one is refused at its field", async () => {
    const { page, go, context, faults } = await driven.asOwner();
    await go("/keys?new=1");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Ranged");
    await dialog.getByText("Scopes and limits").click();
    await dialog.getByLabel("IP ranges").fill("192.0.2.1/24");
    await dialog.getByLabel("IP ranges").press("Enter");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("with only zeros after its prefix").first().waitFor();
    await dialog.getByRole("button", { name: "Delete 192.0.2.1/24" }).click();
    await dialog.getByLabel("IP ranges").fill("192.0.2.0/24");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = (await page.locator("[data-secret]").textContent()) ?? "";
    expect(await chatWith(key)).toBe(403);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("row").filter({ hasText: "Ranged" }).getByText("192.0.2.0/24").waitFor();
    await page.getByRole("button", { name: "Actions for Ranged" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    await dialog.getByLabel("IP ranges").fill("127.0.0.0/8");
    await dialog.getByLabel("Expires").selectOption("30d");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Ranged is changed").waitFor();
    expect(await chatWith(key)).toBe(200);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a key's sheet shows its use over time, and what it can call and why not", async () => {
    const { id, key } = await driven.console.gateway.newKey({
      scopes: { models: ["sandbox-chat"], endpoints: ["chat", "audio_speech"] },
    });
    const { page, go, context, faults } = await driven.asOwner();
    await go(`/keys?id=${id}`);
    const sheet = page.getByRole("dialog");
    await sheet.getByText("No request in the chosen time.").waitFor();
    expect(await chatWith(key)).toBe(200);
    await page.reload({ waitUntil: "networkidle" });
    await sheet.getByRole("img", { name: "Spend of this key over time" }).waitFor();
    await sheet.getByText(/for 1 request, 0 errors/).waitFor();
    const model = (name: string) =>
      sheet.getByRole("list", { name: "What it can call" }).getByRole("listitem").filter({ hasText: name });
    const chat = model("sandbox-chat");
    await chat.getByText("chat can be called", { exact: true }).waitFor();
    await chat.getByText("messages cannot be called").waitFor();
    await chat.getByText("It is not among the endpoints of the key.").waitFor();
    await model("sandbox-speech").getByText("It is not among the models of the key.").waitFor();
    await sheet.getByLabel("Filter by model").fill("image");
    expect(await model("sandbox").count()).toBe(1);
    await sheet.getByRole("button", { name: "Disable" }).click();
    await page
      .getByRole("dialog", { name: /^Disable/ })
      .getByRole("button", { name: "Disable" })
      .click();
    await sheet.getByText("disabled_api_key").waitFor();
    expect(await chatWith(key)).toBe(401);
    await sheet.getByRole("button", { name: "Enable" }).click();
    await sheet.getByText("disabled_api_key").waitFor({ state: "detached" });
    await sheet.getByRole("link", { name: "Show its requests" }).click();
    await page.locator("[data-row]").first().waitFor();
    expect(new URL(page.url()).searchParams.get("key")).toBe(id);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a rotated key has both secrets for as long as it was said, and code for what it may call", async () => {
    const { page, go, context, faults } = await driven.asOwner();
    await go("/keys?new=1");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Turning");
    await dialog.getByText("Scopes and limits").click();
    await dialog.getByRole("button", { name: "chat", exact: true }).click();
    await dialog.getByRole("button", { name: "Create key" }).click();
    const first = (await page.locator("[data-secret]").textContent()) ?? "";
    const names = await dialog.getByRole("group", { name: "Try it" }).getByRole("button").allTextContents();
    expect(names).toEqual(["curl", "OpenAI Python", "OpenAI TypeScript", "Vercel AI"]);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Actions for Turning" }).click();
    await page.getByRole("menuitem", { name: "New secret" }).click();
    await dialog.getByRole("button", { name: "One hour" }).click();
    await page.getByRole("button", { name: "Make the new secret" }).click();
    const second = (await page.locator("[data-secret]").textContent()) ?? "";
    expect(second).not.toBe(first);
    expect([await chatWith(first), await chatWith(second)]).toEqual([200, 200]);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Turning", exact: true }).click();
    await page.getByRole("dialog").getByText("Old secret ends").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
