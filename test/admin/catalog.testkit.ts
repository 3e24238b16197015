import { beforeEach, expect } from "bun:test";
import { type AdminAnswer, type AdminGateway, onBothStorages } from "./admin.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** The key of the providers that tests create. */
export const secret = "sk-very-secret-key-of-a-provider-4711";

/** Two gateways on one storage, whose configuration has the sandbox alone. */
export interface CatalogTest extends Pick<AdminGateway, "send"> {
  readonly context: () => AdminGateway;
  readonly isSqlite: () => boolean;
  /** The address of the first gateway's sandbox. */
  readonly url: () => string;
  readonly createProvider: (id: string, more?: object) => Promise<AdminAnswer["body"]>;
  readonly createModel: (id: string, more?: object) => Promise<AdminAnswer["body"]>;
  /** The text of an answer, or the error code. */
  readonly ask: (model: string, at?: TestGateway) => Promise<string | undefined>;
}

/** Runs the same tests on both storages. Each begins without stored providers, models and routes. */
export function withCatalog(tests: (catalog: CatalogTest) => void): void {
  onBothStorages((context) => {
    const send: AdminGateway["send"] = (...words) => context().send(...words);
    const url = () => context().gateway.sandbox.url;
    const create = async (path: string, fields: object) => {
      const { status, body } = await send("POST", path, fields);
      expect({ status, error: body.error }).toEqual({ status: 201, error: undefined });
      return body;
    };
    beforeEach(async () => {
      context().gateway.sandbox.reset();
      context().gateway.sandbox.setModel("sandbox-chat", {});
      for (const list of ["routes", "models", "providers"]) {
        for (const { id, source } of (await send("GET", `/${list}`)).body.data ?? []) {
          if (source === "storage") expect((await send("DELETE", `/${list}/${String(id)}`)).status).toBe(200);
        }
      }
    });
    tests({
      context,
      send,
      url,
      isSqlite: () => context().gateway.storageUrl.startsWith("sqlite:"),
      createProvider: (id, more = {}) =>
        create("/providers", { id, dialect: "openai-chat", base_url: `${url()}/v1`, api_key: secret, ...more }),
      createModel: (id, more = {}) =>
        create("/models", { id, targets: [{ provider: "vendor", model: "sandbox-chat" }], ...more }),
      async ask(model, at = context().gateway) {
        const response = await fetch(`${at.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${context().gateway.key}`, "content-type": "application/json" },
          body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
        });
        const body = (await response.json()) as {
          error?: { code: string };
          choices?: { message: { content: string } }[];
        };
        return body.error?.code ?? body.choices?.[0]?.message.content;
      },
    });
  });
}
