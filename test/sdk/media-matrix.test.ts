import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMediaGateway, mediaProviders, type MediaProvider } from "./media-gateway.testkit.ts";
import { mediaSteps } from "./media-steps.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/**
 * Every method of the official SDKs for sound, images, films and files, through every provider that may serve it.
 * `UPDATE_DOCS=1 npm test -- test/sdk/media-matrix.test.ts` updates docs/media-sdks.md.
 */

const page = new URL("../../docs/media-sdks.md", import.meta.url);

const versions = await Promise.all(
  ["openai", "@google/genai", "ai", "@ai-sdk/openai"].map(async (name) => {
    const file = Bun.file(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
    const { version } = (await file.json()) as { version: string };
    return `\`${name}\` ${version}`;
  }),
);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createMediaGateway();
});
afterAll(() => gateway.stop());

/** What each cell was found to be: `yes`, `no`, or the number of a refusal. */
const found = new Map<string, string>();
const refusals: string[] = [];

/** The refusal of a provider's half, or that it has none. Any other error is the test's. */
function refusalOf(thrown: unknown): string {
  const { code, param, message, data, responseBody } = thrown as {
    readonly code?: string;
    readonly param?: string | null;
    readonly message: string;
    readonly data?: { readonly error?: { readonly code?: string; readonly message?: string } };
    readonly responseBody?: string;
  };
  const told = data?.error ?? (responseBody ? (JSON.parse(responseBody) as { error: typeof data }).error : undefined);
  const facts = { code, message, ...told } as { code?: string; message: string };
  if (facts.code === "unsupported_endpoint") return "no";
  if (facts.code !== "unsupported_parameter") throw thrown;
  const text = `\`${param ?? "model"}\`: ${facts.message.replace(/^\d{3} /, "")}`;
  if (!refusals.includes(text)) refusals.push(text);
  return `refused (${refusals.indexOf(text) + 1})`;
}

for (const [name, { providers = mediaProviders, run }] of Object.entries(mediaSteps)) {
  test.each(providers)(`${name} at %s`, async (provider: MediaProvider) => {
    const result = await run(gateway, provider).then(() => "yes", refusalOf);
    found.set(`${name} ${provider}`, result);
    // OpenAI's shape has all of them.
    if (provider === "openai") expect(result).toBe("yes");
  });
}

test("docs/media-sdks.md matches the observations", async () => {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = Object.keys(mediaSteps).map((name) => {
    return row([name, ...mediaProviders.map((provider) => found.get(`${name} ${provider}`) ?? "")]);
  });
  const text = [
    "# SDKs for sound, images, films and files",
    "",
    `What ${versions.join(", ")} do through the gateway, with another base URL and key, at each provider. The page is`,
    "written by `test/sdk/media-matrix.test.ts`, which runs every cell against the sandbox in the provider's own wire format and",
    "looks at the answer. An empty cell is not run: the method means no provider of that kind. `no`: the gateway answers 400",
    "`unsupported_endpoint`, since the provider has no such thing.",
    "",
    row(["SDK and method", ...mediaProviders]),
    row(["SDK and method", ...mediaProviders].map(() => "---")),
    ...rows,
    "",
    ...refusals.map((refusal, index) => `${index + 1}. ${refusal}`),
    "",
    "`models.generateImages` of `@google/genai` asks for nothing with an API key: the SDK has it for Vertex AI alone. The gateway serves no",
    "`:predict`; Imagen is asked by `/v1/images/generations`.",
    "",
  ].join("\n");
  const formatted = await format(text);
  if (process.env["UPDATE_DOCS"] === "1") await Bun.write(page, formatted);
  expect(await Bun.file(page).text()).toBe(formatted);
});

/** As `npm run format` leaves it. */
async function format(text: string): Promise<string> {
  const formatter = Bun.spawn(["node_modules/.bin/oxfmt", "--stdin-filepath", "docs/media-sdks.md"], {
    cwd: new URL("../..", import.meta.url).pathname,
    stdin: Buffer.from(text),
    stdout: "pipe",
  });
  return new Response(formatter.stdout).text();
}
