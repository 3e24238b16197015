import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { TestGateway } from "../gateway.testkit.ts";
import { openRaw } from "../raw-http.testkit.ts";
import { until } from "../until.testkit.ts";
import { spoken, startTranscriptionGateway, transcribe, transcriberAt } from "./transcription.testkit.ts";

/** Forms that are wrong, too large, or never end. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranscriptionGateway([], { files: { maxFileBytes: 3_000_000 } });
});
afterAll(() => gateway.stop());

const path = "/v1/audio/transcriptions";
const contentType = "multipart/form-data; boundary=b";
const sound = Buffer.from(spoken()).toString("latin1");

const part = (head: string, content: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const model = part('name="model"', transcriberAt("openai"));
const file = part('name="file"; filename="a.wav"', sound);
const end = "--b--\r\n";

const post = (body: string, headers: Record<string, string> = {}) =>
  gateway.fetch(path, {
    method: "POST",
    headers: { "content-type": contentType, ...headers },
    body: Uint8Array.from(Buffer.from(body, "latin1")),
  });

async function errorOf(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: { code: string; param: string | null } };
  return [response.status, error.code, error.param];
}

test("a good form of this shape is answered", async () => {
  expect((await post(model + file + end)).status).toBe(200);
});

describe("a form is refused, and no provider is asked", () => {
  const nested = part('name="a"', "1").repeat(10_000);
  const refused: Readonly<Record<string, readonly [body: string, ...error: unknown[]]>> = {
    "a boundary that never ends": [model + file, 400, "invalid_multipart", null],
    "a part without a name": [model + file + part("x=y", "z") + end, 400, "invalid_multipart", null],
    "10,000 parts": [model + file + nested + end, 400, "invalid_multipart", null],
    nothing: ["", 400, "invalid_multipart", null],
    "two files": [model + file + file + end, 400, "invalid_parameter", "file"],
    "an empty file": [model + part('name="file"; filename="a.wav"', "") + end, 400, "invalid_parameter", "file"],
    "a file without a name of its own": [model + part('name="file"', sound) + end, 400, null, null],
    "a NUL in the name of a part": [model + file + part('name="a\0b"', "1") + end, 400, "invalid_multipart", null],
    "no file": [model + end, 400, "missing_parameter", "file"],
    "a larger file than the limit": [
      model + part('name="file"; filename="a.wav"', "x".repeat(3_000_001)) + end,
      413,
      "body_too_large",
      "file",
    ],
    "a larger field than the limit": [
      part('name="prompt"', "x".repeat(300_000)) + end,
      413,
      "body_too_large",
      "prompt",
    ],
  };

  test.each(Object.entries(refused))("%s", async (_, [body, status, code, param]) => {
    const calls = gateway.sandbox.requests.length;
    const [found, foundCode, foundParam] = await errorOf(await post(body));
    expect(found).toBe(status);
    if (code !== null) expect([foundCode, foundParam]).toEqual([code, param]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ["of another type", { "content-type": "text/plain" }, 415, "Content-Type"],
    ["compressed", { "content-encoding": "gzip" }, 415, "Content-Encoding"],
    ["without a boundary", { "content-type": "multipart/form-data" }, 400, "Content-Type"],
  ])("%s", async (_, headers, status, param) => {
    const [found, , foundParam] = await errorOf(await post(model + file + end, headers));
    expect([found, foundParam]).toEqual([status, param]);
  });

  test("of 1 GB, before it is read", async () => {
    const connection = await openRaw(gateway.url);
    connection.send(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: ${contentType}\r\nContent-Length: ${2 ** 30}\r\n\r\n`,
    );
    const { status, body } = await connection.response();
    expect([status, JSON.parse(body)]).toMatchObject([413, { error: { code: "body_too_large" } }]);
    connection.close();
  });

  test("of 1 GB that is not announced, once it is over the limit", async () => {
    const piece = new Uint8Array(64 << 10).fill(7);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(
          Buffer.from(`${model}--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`),
        ),
      pull(controller) {
        sent += piece.length;
        if (sent > 2 ** 30) controller.close();
        else controller.enqueue(piece);
      },
    });
    const response = await gateway.fetch(path, { method: "POST", headers: { "content-type": contentType }, body });
    expect(await errorOf(response)).toEqual([413, "body_too_large", "file"]);
    expect(sent).toBeLessThan(2 ** 26);
  });
});

test("nothing is left on the disk once requests have ended", async () => {
  const large = spoken("quick brown foxes ".repeat(40).trim());
  await Promise.all(Array.from({ length: 5 }, () => transcribe(gateway, {}, { sound: large })));
  const scratch = () =>
    readdirSync(gateway.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.includes("scratch") && entry.name !== "lock")
      .map(({ name }) => name);
  await until("an empty scratch folder", async () => scratch().length === 0);
});
