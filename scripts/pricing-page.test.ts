import { expect, test } from "bun:test";
import { readConfigText } from "../src/config/file/read-config-file.ts";
import { pricingFile, pricingPage } from "./pricing-page.ts";

test("docs/pricing.md matches the code (update it with scripts/bun.sh scripts/pricing-page.ts)", async () => {
  expect(await Bun.file(pricingFile).text()).toBe(pricingPage());
});

test("the configuration on the page is valid", () => {
  const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(pricingPage()) ?? [];
  const providers = "providers: [{ id: openai, dialect: openai-chat }, { id: openrouter, dialect: openai-chat }]\n";
  expect(readConfigText(providers + yaml, "the page", {}, null).models).toHaveLength(2);
});
