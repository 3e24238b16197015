import { expect, test } from "bun:test";
import { cautionsOf } from "./cautions.ts";
import { defaultConfig } from "./defaults.ts";
import { readConfigText } from "./file/read-config-file.ts";

const providers = `providers:
  - { id: used, dialect: openai-chat, base_url: https://a/v1 }
  - { id: idle, dialect: openai-chat, base_url: https://b/v1 }
`;
const read = (text: string) => readConfigText(text, "t.yaml", {}, null);

test("a provider without models is named, with a line to paste", () => {
  const models = "models:\n  - { id: m, targets: [{ provider: used, model: m }] }\n";
  const [caution = "", ...others] = cautionsOf(read(providers + models));
  expect(others).toEqual([]);
  expect(caution).toContain("'idle'");

  const [, line = ""] = caution.split("'models': ");
  const config = read(`${providers}${models}  ${line}\n`);
  expect(cautionsOf(config)).toEqual([]);
  expect(config.models.at(-1)).toMatchObject({ id: "idle/*", targets: [{ provider: "idle", model: "*" }] });
});

test("all providers are named if there is no model, and none without a file", () => {
  expect(cautionsOf(read(providers))).toHaveLength(2);
  expect(cautionsOf(defaultConfig())).toEqual([]);
});

test("a provider whose webhooks have no address is named, as is Replicate's without TLS", () => {
  const secret = `whsec_${"a".repeat(32)}`;
  const text = (publicUrl: string) => `server: { ${publicUrl} }
providers:
  - { id: fal, dialect: fal, webhook_secret: ${"a".repeat(43)} }
  - { id: replicate, dialect: replicate, webhook_secret: ${secret} }
models:
  - { id: a, targets: [{ provider: fal, model: m }, { provider: replicate, model: m }] }
`;
  const named = (publicUrl: string) => cautionsOf(read(text(publicUrl))).map((caution) => /'(\w+)'/.exec(caution)?.[1]);
  expect(named("")).toEqual(["fal", "replicate"]);
  expect(named("public_url: 'http://gateway.example'")).toEqual(["replicate"]);
  expect(named("public_url: 'https://gateway.example'")).toEqual([]);
});
