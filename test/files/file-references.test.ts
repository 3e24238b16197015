import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Part } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");
const notes = "Zoë's notes: 日本.\n";

let gateway: TestGateway;
let picture: string;
let report: string;
let text: string;
let stranger: string;

beforeAll(async () => {
  const below = (url: string) => url.replace(/\/v1$/, "");
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "openai", dialects: ["openai-responses"] },
      { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: below(url) },
      { id: "google", dialects: ["gemini"], baseUrl: below(url) },
      { id: "chat", dialects: ["openai-chat"] },
    ],
    models: [
      ...["openai", "anthropic", "google", "chat"].map((provider) => ({
        id: provider,
        targets: [{ provider, model: "sandbox-chat" }],
      })),
      ...["openai", "anthropic"].map((provider) => ({
        id: `small-${provider}`,
        targets: [{ provider, model: "sandbox-chat" }],
        parameters: { max_file_bytes: 69 },
      })),
    ],
  });
  picture = await upload(png, "dot.png");
  report = await upload(pdf, "report.pdf");
  text = await upload(notes, "notes.md");
  const admin = await gateway.newKey({ admin: true });
  await gateway.fetch("/api/admin/accounts", {
    method: "POST",
    headers: { authorization: `Bearer ${admin.key}`, "content-type": "application/json" },
    body: JSON.stringify({ id: "stranger" }),
  });
  stranger = (await gateway.newKey({ accountId: "stranger" })).key;
});
afterAll(() => gateway.stop());

async function upload(bytes: Buffer | string, filename: string): Promise<string> {
  const file = await toFile(Buffer.from(bytes), filename);
  return (await openai().files.create({ file, purpose: "user_data" })).id;
}

const openai = (key = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
const google = () => new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });

/** The text of the newest request at the provider. */
const sentUp = () => new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);
const sentBody = () => JSON.parse(sentUp()) as Record<string, unknown>;

const ask = (...content: OpenAI.Responses.ResponseInputContent[]): OpenAI.Responses.ResponseInput => [
  { role: "user", content: [{ type: "input_text", text: "What is this?" }, ...content] },
];
const inputFile = (id: string) => ({ type: "input_file" as const, file_id: id });
const inputImage = (id: string) => ({ type: "input_image" as const, file_id: id, detail: "auto" as const });

const rejection = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error(`Not refused: ${String(error)}`);
  const { status, code, param } = error;
  return { status, code, param };
};

describe("the Responses API", () => {
  test("sends files of the gateway's to a provider of its dialect in place", async () => {
    const { responses } = openai();
    const input = ask(inputImage(picture), inputFile(report), inputFile("file-VendorsOwnId0000000000"));
    const answer = await responses.create({ model: "openai", input, metadata: { n: "1" } });
    expect(answer.status).toBe("completed");
    expect(sentBody().input).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png.toString("base64")}` },
          {
            type: "input_file",
            filename: "report.pdf",
            file_data: `data:application/pdf;base64,${pdf.toString("base64")}`,
          },
          inputFile("file-VendorsOwnId0000000000"),
        ],
      },
    ]);
  });

  test("keeps the id in what it stores, and reads the file again when the response is continued", async () => {
    const { responses } = openai();
    const first = await responses.create({ model: "openai", input: ask(inputImage(picture)) });
    const items = await Array.fromAsync(responses.inputItems.list(first.id));
    expect(JSON.stringify(items)).toContain(`"file_id":"${picture}"`);
    expect(JSON.stringify(items)).not.toContain("base64");
    for (const model of ["openai", "anthropic"]) {
      await responses.create({ model, previous_response_id: first.id, input: "And now?" });
      expect(sentUp()).toContain(png.toString("base64"));
      expect(sentUp()).not.toContain(picture);
    }
  });

  test.each(["anthropic", "google"])("sends them to %s in its own form", async (model) => {
    await openai().responses.create({ model, input: ask(inputImage(picture), inputFile(report)) });
    expect(sentUp()).toContain(png.toString("base64"));
    expect(sentUp()).toContain(pdf.toString("base64"));
    expect(sentUp()).not.toContain(picture);
  });

  test("says which file cannot be read", async () => {
    const zip = await upload(Buffer.from("PK\x03\x04rest"), "a.docx");
    const binary = await upload(Buffer.from([1, 2, 3, 0, 5]), "a.bin");
    const { responses } = openai();
    const create = (content: OpenAI.Responses.ResponseInputContent, model = "openai", client = responses) =>
      rejection(client.create({ model, input: ask(content) }));
    const path = "input[0].content[1].file_id";
    const before = gateway.sandbox.requests.length;
    expect(await create(inputImage(report))).toEqual({ status: 400, code: "unsupported_parameter", param: path });
    expect(await create(inputFile(binary))).toMatchObject({ status: 400, param: path });
    expect(await create(inputFile(zip), "anthropic")).toMatchObject({ status: 400, param: "input[0].content[1]" });
    const unknown = inputFile(`file-0${"1".repeat(25)}`);
    expect(await create(unknown)).toEqual({ status: 404, code: "file_not_found", param: path });
    expect(await create(inputFile(report), "openai", openai(stranger).responses)).toMatchObject({
      status: 404,
      code: "file_not_found",
      param: path,
    });
    expect(gateway.sandbox.requests.length).toBe(before);
    const tools = [{ type: "code_interpreter" as const, container: { type: "auto" as const, file_ids: [report] } }];
    expect(await rejection(responses.create({ model: "openai", input: "Hi", tools }))).toMatchObject({
      status: 400,
      param: "tools[0].container.file_ids",
    });
  });

  test("answers a repetition under one Idempotency-Key once, and refuses another body under it", async () => {
    const { responses } = openai();
    const options = { idempotencyKey: "the-same", headers: { "Idempotency-Key": "the-same" } };
    const first = await responses.create({ model: "openai", input: ask(inputFile(report)) }, options);
    const calls = gateway.sandbox.requests.length;
    expect((await responses.create({ model: "openai", input: ask(inputFile(report)) }, options)).id).toBe(first.id);
    expect(gateway.sandbox.requests.length).toBe(calls);
    const other = responses.create({ model: "openai", input: ask(inputImage(picture)) }, options);
    expect(await rejection(other)).toMatchObject({ status: 409 });
  });
});

describe("the Messages API", () => {
  const message = (model: string, ...content: Anthropic.Beta.BetaContentBlockParam[]) =>
    anthropic().beta.messages.create({
      model,
      max_tokens: 50,
      betas: ["files-api-2025-04-14"],
      messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, ...content] }],
    });
  const image = (id: string) => ({ type: "image" as const, source: { type: "file" as const, file_id: id } });
  const document = (id: string) => ({ type: "document" as const, source: { type: "file" as const, file_id: id } });

  test("sends images, PDFs and texts to a provider of its dialect in place", async () => {
    await message("anthropic", image(picture), document(report), { ...document(text), title: "Notes" });
    const [sent] = sentBody().messages as { content: unknown[] }[];
    expect(sent?.content.slice(1)).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") } },
      { type: "document", title: "Notes", source: { type: "text", media_type: "text/plain", data: notes } },
    ]);
    await message("anthropic", image("file_011CNha8iCJcU1wXNR6q4V8w"));
    expect(sentUp()).toContain("file_011CNha8iCJcU1wXNR6q4V8w");
  });

  test.each(["openai", "google"])("sends them to %s in its own form", async (model) => {
    await message(model, image(picture), document(report));
    expect(sentUp()).toContain(png.toString("base64"));
    expect(sentUp()).toContain(pdf.toString("base64"));
  });

  test("says which block cannot have the file", async () => {
    const refused = async (content: Anthropic.Beta.BetaContentBlockParam) => {
      const error = await message("anthropic", content).catch((thrown: unknown) => thrown);
      if (!(error instanceof Anthropic.APIError)) throw new Error("Not refused.");
      return `${String(error.status)} ${error.message}`;
    };
    expect(await refused(document(picture))).toContain("neither");
    expect(await refused({ type: "container_upload", file_id: picture })).toStartWith("400");
    expect(await refused(image(`file-0${"1".repeat(25)}`))).toStartWith("404");
  });

  test("counts tokens of the file", async () => {
    const count = await anthropic().beta.messages.countTokens({
      model: "anthropic",
      messages: [{ role: "user", content: [document(report)] }],
    });
    expect(count.input_tokens).toBeGreaterThan(0);
    expect(sentUp()).toContain(pdf.toString("base64"));
  });
});

describe("the Gemini API", () => {
  const generate = (model: string, ...parts: Part[]) =>
    google().models.generateContent({ model, contents: [{ role: "user", parts: [{ text: "What?" }, ...parts] }] });

  test.each([
    (id: string) => id,
    (id: string) => `files/${id}`,
    (id: string) => `http://gateway.example/v1/files/${id}`,
    (id: string) => `https://gateway.example/v1beta/files/${id}/content`,
  ])("takes the name and the address of a file %#", async (uriOf) => {
    await generate(
      "google",
      { fileData: { fileUri: uriOf(picture), mimeType: "image/jpeg" } },
      { fileData: { fileUri: uriOf(text), mimeType: "text/markdown" } },
    );
    const [sent] = sentBody().contents as { parts: unknown[] }[];
    expect(sent?.parts.slice(1)).toEqual([
      { inlineData: { mimeType: "image/png", data: png.toString("base64") } },
      { inlineData: { mimeType: "text/markdown", data: Buffer.from(notes).toString("base64") } },
    ]);
  });

  test("sends them to a provider of another dialect", async () => {
    await generate("anthropic", { fileData: { fileUri: report } });
    expect(sentUp()).toContain(pdf.toString("base64"));
  });

  test("leaves Google's own files alone", async () => {
    const fileUri = "https://generativelanguage.googleapis.com/v1beta/files/abc-123";
    await generate("google", { fileData: { fileUri, mimeType: "image/png" } });
    expect(sentUp()).toContain(fileUri);
  });
});

test("chat completions read no file_id, whoever kept the file", async () => {
  for (const id of [report, "file-VendorsOwnId0000000000"]) {
    const asked = openai().chat.completions.create({
      model: "chat",
      messages: [{ role: "user", content: [{ type: "file", file: { file_id: id } }] }],
    });
    expect(await rejection(asked)).toEqual({
      status: 400,
      code: "unsupported_parameter",
      param: "messages[0].content[0].file.file_id",
    });
  }
});

test("a model may bound the files that it reads", async () => {
  const bounded = (model: string, ...content: OpenAI.Responses.ResponseInputContent[]) =>
    openai().responses.create({ model, input: ask(...content) });
  expect((await bounded("small-openai", inputFile(report))).status).toBe("completed");
  expect(await rejection(bounded("small-openai", inputFile(report), inputImage(picture)))).toEqual({
    status: 413,
    code: "body_too_large",
    param: "input[0].content[2].file_id",
  });
  const image = { type: "image" as const, source: { type: "file" as const, file_id: picture } };
  const asked = anthropic().beta.messages.create({
    model: "small-anthropic",
    max_tokens: 5,
    messages: [{ role: "user", content: [image] }],
  });
  expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({ status: 413 });
});

test("quotes read files too", async () => {
  const quoted = async (file: string) => {
    const body = { model: "openai", input: ask(inputFile(file)) };
    const response = await gateway.fetch("/api/quote", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ path: "/v1/responses", body }),
    });
    return [response.status, await response.json()];
  };
  expect(await quoted(report)).toMatchObject([200, { object: "quote", model: "openai" }]);
  expect(await quoted(`file-0${"1".repeat(25)}`)).toMatchObject([404, { error: { code: "file_not_found" } }]);
});

describe("large files", () => {
  test("of 32 MiB pass without holding others up, and larger ones are a 413", async () => {
    const large = Buffer.alloc(32 << 20, "a");
    pdf.copy(large);
    const id = await upload(large, "large.pdf");
    await openai().responses.create({ model: "openai", input: "Warm up." });
    const held = await longestTurn(() => openai().responses.create({ model: "openai", input: ask(inputFile(id)) }));
    const sent = gateway.sandbox.requests.at(-1)?.headers["content-length"];
    expect(Number(sent)).toBeGreaterThan((32 << 20) * 1.33);
    // The sandbox and the SDK share this process with the gateway.
    expect(held).toBeLessThan(1_000);
    const twice = openai().responses.create({ model: "openai", input: ask(inputFile(id), inputFile(id)) });
    expect(await rejection(twice)).toMatchObject({ status: 413, param: "input[0].content[1].file_id" });
  });
});

/** The longest time in milliseconds between two turns of the event loop while something is done. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}
