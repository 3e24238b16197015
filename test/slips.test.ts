import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "./gateway.ts";

/** Slips that people make at a first try: each is forgiven, or answered with what to write instead. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: ["gpt-5-mini", "gpt-5-nano"].map((id) => ({ id, targets: [{ provider: "sandbox", model: "sandbox-chat" }] })),
    routes: [{ kind: "alias", id: "fast-alias", leadsTo: "gpt-5-nano" }],
  });
});
afterAll(() => gateway.stop());

const messageOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { error: { message: string } };
  return body.error.message;
};

describe("an unknown model", () => {
  test("is answered with the nearest names, and where the list is", async () => {
    const response = await gateway.chat({ model: "gpt-5-mnii" });
    expect(response.status).toBe(404);
    expect(await messageOf(response)).toBe(
      "The model 'gpt-5-mnii' does not exist. Did you mean 'gpt-5-mini'? GET /v1/models lists the models that this API key may use.",
    );
    expect(await messageOf(await gateway.chat({ model: "fast_alais" }))).toContain("Did you mean 'fast-alias'?");
    expect(await messageOf(await gateway.fetch("/v1/models/gpt-5-mni"))).toContain("'gpt-5-mini'");
    expect(await messageOf(await gateway.chat({ model: "zzzzzzzzzzz" }))).not.toContain("Did you mean");
  });

  test("never names what the key may not use", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["gpt-5-nano"] } });
    const headers = { authorization: `Bearer ${key}` };
    const message = await messageOf(await gateway.chat({ model: "gpt-5-mnii" }, { headers }));
    expect(message).not.toContain("gpt-5-mini");
  });
});
