import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import OpenAI, { NotFoundError, toFile } from "openai";
import { startTestGateway, type TestGateway, type TestKey } from "../gateway.testkit.ts";
import { openRaw } from "../raw-http.testkit.ts";
import { onEachStorage } from "../records/storages.testkit.ts";
import { until } from "../until.testkit.ts";

interface FileObject {
  readonly id: string;
}

/** The names of the blobs that are on the disk. */
function blobsOf({ folder }: TestGateway): string[] {
  return readdirSync(join(folder, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("scratch"))
    .map(({ name }) => name);
}

function upload(
  gateway: TestGateway,
  bytes: string,
  more: Readonly<Record<string, string>> = {},
  key = gateway.key,
): Promise<Response> {
  const form = new FormData();
  form.set("purpose", "user_data");
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  form.set("file", new Blob([bytes]), "notes.txt");
  return gateway.fetch("/v1/files", { method: "POST", body: form, headers: { authorization: `Bearer ${key}` } });
}

async function uploaded(gateway: TestGateway, bytes: string): Promise<string> {
  return ((await (await upload(gateway, bytes)).json()) as FileObject).id;
}

onEachStorage({}, (gateway) => {
  const client = () => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: gateway().key, maxRetries: 0 });

  test("the official SDK uploads, lists, retrieves, reads and deletes files", async () => {
    const { files } = client();
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const made = await files.create({
      file: await toFile(bytes, "Zoë's 日本.bin"),
      purpose: "user_data",
      expires_after: { anchor: "created_at", seconds: 3_600 },
    });
    expect(made).toMatchObject({
      object: "file",
      bytes: 50_000,
      filename: "Zoë's 日本.bin",
      purpose: "user_data",
      status: "processed",
    });
    expect(made.id).toMatch(/^file-[0-9a-z]{26}$/);
    expect(made.expires_at).toBeGreaterThanOrEqual(made.created_at + 3_599);
    expect(await files.retrieve(made.id)).toEqual(made);
    const content = await files.content(made.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    const batch = await files.create({ file: await toFile(Buffer.from("{}\n"), "b.jsonl"), purpose: "batch" });
    expect((batch.expires_at ?? 0) - batch.created_at).toBe(30 * 24 * 3_600);
    const third = await files.create({ file: await toFile(Buffer.from("x"), "c"), purpose: "vision" });
    const ids = async (query: OpenAI.FileListParams) => (await Array.fromAsync(files.list(query))).map(({ id }) => id);
    expect(await ids({})).toEqual([third.id, batch.id, made.id]);
    expect(await ids({ limit: 1, order: "asc" })).toEqual([made.id, batch.id, third.id]);
    expect(await ids({ purpose: "batch" })).toEqual([batch.id]);
    expect(await ids({ after: batch.id })).toEqual([made.id]);
    for (const { id } of [made, batch, third]) {
      expect(await files.delete(id)).toEqual({ id, object: "file", deleted: true });
      for (const ask of [() => files.delete(id), () => files.retrieve(id), () => files.content(id)]) {
        expect(await ask().catch((error: unknown) => error)).toBeInstanceOf(NotFoundError);
      }
    }
  });
});

describe("files", () => {
  let gateway: TestGateway;
  let other: TestKey;
  let now = Date.now();
  beforeAll(async () => {
    gateway = await startTestGateway({
      files: { maxFileBytes: 2 << 20, maxAccountBytes: 6 << 20 },
      clock: { now: () => now },
    });
    const admin = await gateway.newKey({ admin: true });
    await gateway.fetch("/api/admin/accounts", {
      method: "POST",
      headers: { authorization: `Bearer ${admin.key}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "stranger" }),
    });
    other = await gateway.newKey({ accountId: "stranger" });
  });
  afterAll(() => gateway.stop());

  const errorOf = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: string; param: string | null; message: string } };
    return { status: response.status, code: error.code, param: error.param, message: error.message };
  };

  test("belong to the account: another key of it sees them, another account does not", async () => {
    const id = await uploaded(gateway, "mine");
    const colleague = await gateway.newKey();
    const as = (key: string, path: string, method = "GET") =>
      gateway.fetch(path, { method, headers: { authorization: `Bearer ${key}` } });
    expect(await (await as(colleague.key, `/v1/files/${id}/content`)).text()).toBe("mine");
    for (const [path, method] of [
      [`/v1/files/${id}`, "GET"],
      [`/v1/files/${id}/content`, "GET"],
      [`/v1/files/${id}`, "DELETE"],
    ] as const) {
      expect(await errorOf(await as(other.key, path, method))).toMatchObject({ status: 404, code: "file_not_found" });
    }
    expect(await (await as(other.key, "/v1/files")).json()).toEqual({
      object: "list",
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
    const scoped = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
    expect((await as(scoped.key, "/v1/files")).status).toBe(403);
    expect((await upload(gateway, "x", {}, scoped.key)).status).toBe(403);
    const allowed = await gateway.newKey({ scopes: { endpoints: ["files"] } });
    expect((await as(allowed.key, "/v1/files")).status).toBe(200);
    expect((await gateway.fetch(`/v1/files/${id}`, { headers: { authorization: "Bearer no" } })).status).toBe(401);
    await as(colleague.key, `/v1/files/${id}`, "DELETE");
  });

  test("tell nothing of whether another account has the same content", async () => {
    const content = `secret ${"s".repeat(1_500_000)}`;
    const headersOf = (key: string) => ({ authorization: `Bearer ${key}` });
    const uploadAs = async (key: string) => ((await (await upload(gateway, content, {}, key)).json()) as FileObject).id;
    const etagOf = async (id: string, key: string) =>
      (await gateway.fetch(`/v1/files/${id}/content`, { method: "HEAD", headers: headersOf(key) })).headers.get("etag");
    const theirs = await uploadAs(other.key);
    const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    const inodes = () =>
      blobsOf(gateway)
        .filter((name) => name.startsWith(sha256))
        .map((name) => statSync(join(gateway.folder, "blobs", sha256.slice(0, 2), name)).ino);
    const before = inodes();
    const mine = await uploadAs(gateway.key);
    // Bytes that are there already are written all the same: not to do so takes less time.
    expect(inodes()).toHaveLength(1);
    expect(inodes()).not.toEqual(before);
    expect(await etagOf(mine, gateway.key)).not.toBe(await etagOf(theirs, other.key));
    await gateway.fetch(`/v1/files/${mine}`, { method: "DELETE", headers: headersOf(gateway.key) });
    await gateway.fetch(`/v1/files/${theirs}`, { method: "DELETE", headers: headersOf(other.key) });
  });

  test("are given in ranges", async () => {
    const id = await uploaded(gateway, "0123456789");
    const get = (range: string, headers: Record<string, string> = {}, method = "GET") =>
      gateway.fetch(`/v1/files/${id}/content`, { method, headers: { range, ...headers } });
    const part = await get("bytes=2-5");
    expect([
      part.status,
      await part.text(),
      part.headers.get("content-range"),
      part.headers.get("content-length"),
    ]).toEqual([206, "2345", "bytes 2-5/10", "4"]);
    expect(await (await get("bytes=-3")).text()).toBe("789");
    const beyond = await get("bytes=10-");
    expect(beyond.headers.get("content-range")).toBe("bytes */10");
    expect(await errorOf(beyond)).toMatchObject({ status: 416, code: "range_not_satisfiable" });
    const several = await get("bytes=0-1,3-4");
    expect([several.status, await several.text()]).toEqual([200, "0123456789"]);
    const etag = part.headers.get("etag") ?? "";
    expect((await get("bytes=2-5", { "if-range": etag })).status).toBe(206);
    expect((await get("bytes=2-5", { "if-range": '"other"' })).status).toBe(200);
    const head = await get("bytes=2-5", {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([206, "4", ""]);
    await gateway.fetch(`/v1/files/${id}`, { method: "DELETE" });
  });

  test.each([
    ["<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "image/svg+xml"],
    ["<!doctype html><script>alert(1)</script>", "text/html"],
    ["plain", "text/plain"],
    ["\x00\x01", "application/octet-stream"],
  ])("%j is saved by browsers and never shown", async (content, type) => {
    const form = new FormData();
    form.set("purpose", "vision");
    form.set("file", new Blob([content], { type: "image/png" }), 'a"\u00e9.png');
    const { id } = (await (await gateway.fetch("/v1/files", { method: "POST", body: form })).json()) as FileObject;
    const response = await gateway.fetch(`/v1/files/${id}/content`);
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="a__.png"; filename*=UTF-8''a%22%C3%A9.png`,
    );
    expect(await response.text()).toBe(content);
    await gateway.fetch(`/v1/files/${id}`, { method: "DELETE" });
  });

  test("with the same content share their bytes, which go with the last one", async () => {
    const content = `shared ${"x".repeat(2_000_000)}`;
    const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    const ids = await Promise.all([1, 2, 3].map(() => uploaded(gateway, content)));
    const blobs = () => blobsOf(gateway).filter((name) => name.startsWith(sha256));
    expect(blobs()).toHaveLength(1);
    for (const id of ids.slice(1)) await gateway.fetch(`/v1/files/${id}`, { method: "DELETE" });
    expect(await (await gateway.fetch(`/v1/files/${ids[0]}/content`)).text()).toBe(content);
    await gateway.fetch(`/v1/files/${ids[0]}`, { method: "DELETE" });
    // The claim of the last upload runs out.
    now += 31_000;
    await gateway.fetch(`/v1/files/${await uploaded(gateway, "other")}`, { method: "DELETE" });
    await until("the bytes to be removed", () => blobs().length === 0);
    const again = await uploaded(gateway, content);
    expect(await (await gateway.fetch(`/v1/files/${again}/content`)).text()).toBe(content);
    await gateway.fetch(`/v1/files/${again}`, { method: "DELETE" });
  });

  test("expire", async () => {
    const response = await upload(gateway, "short-lived", {
      "expires_after[anchor]": "created_at",
      "expires_after[seconds]": "3600",
    });
    const { id } = (await response.json()) as FileObject;
    now += 3_599_000;
    expect((await gateway.fetch(`/v1/files/${id}`)).status).toBe(200);
    now += 1_000;
    expect((await gateway.fetch(`/v1/files/${id}`)).status).toBe(404);
    expect((await gateway.fetch(`/v1/files/${id}/content`)).status).toBe(404);
    expect((await gateway.fetch(`/v1/files/${id}`, { method: "DELETE" })).status).toBe(404);
  });

  test("leave no usage record, and do not count as requests of the key", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    for (let round = 0; round < 3; round++) {
      const { id } = (await (await upload(gateway, "free", {}, key.key)).json()) as FileObject;
      const headers = { authorization: `Bearer ${key.key}` };
      expect((await gateway.fetch(`/v1/files/${id}`, { method: "DELETE", headers })).status).toBe(200);
    }
    const list = await gateway.fetch("/api/usage/requests", { headers: { authorization: `Bearer ${key.key}` } });
    expect(((await list.json()) as { data: unknown[] }).data).toEqual([]);
  });

  test("of an account are no larger together than they may be, however many come at once", async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => upload(gateway, `${index}`.padEnd(1_500_000, "q"), {}, other.key)),
    );
    const made = responses.filter(({ status }) => status === 200);
    expect(made).toHaveLength(4);
    for (const response of responses) {
      if (response.status !== 200)
        expect(await errorOf(response)).toMatchObject({ status: 413, code: "files_quota_exceeded", param: "file" });
    }
    for (const response of made) {
      const { id } = (await response.json()) as FileObject;
      await gateway.fetch(`/v1/files/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${other.key}` } });
    }
    expect((await upload(gateway, "again", {}, other.key)).status).toBe(200);
  });

  const form = (...parts: string[]) =>
    `${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join("")}--b--\r\n`;
  const good = 'name="file"; filename="a.txt"\r\n\r\nabc';
  const purpose = 'name="purpose"\r\n\r\nuser_data';
  const bad: Record<string, [body: string, code: string, param: string | null]> = {
    "no file": [form(purpose), "missing_parameter", "file"],
    "two files": [form(purpose, good, good), "invalid_parameter", "file"],
    "an empty file": [form(purpose, 'name="file"; filename="a.txt"\r\n\r\n'), "invalid_parameter", "file"],
    "a field as the file": [form(purpose, 'name="file"\r\n\r\nabc'), "invalid_parameter", "file"],
    "no purpose": [form(good), "missing_parameter", "purpose"],
    "an unknown purpose": [form(good, 'name="purpose"\r\n\r\nfun'), "invalid_parameter", "purpose"],
    "two purposes": [form(good, purpose, purpose), "invalid_parameter", "purpose"],
    "a file as the purpose": [form(good, 'name="purpose"; filename="x"\r\n\r\nbatch'), "invalid_parameter", "purpose"],
    "an unknown field": [form(good, purpose, 'name="model"\r\n\r\nx'), "invalid_parameter", "model"],
    "another anchor": [
      form(good, purpose, 'name="expires_after[anchor]"\r\n\r\nnow'),
      "invalid_parameter",
      "expires_after[anchor]",
    ],
    "an anchor alone": [
      form(good, purpose, 'name="expires_after[anchor]"\r\n\r\ncreated_at'),
      "missing_parameter",
      "expires_after[seconds]",
    ],
    "seconds alone": [
      form(good, purpose, 'name="expires_after[seconds]"\r\n\r\n3600'),
      "missing_parameter",
      "expires_after[anchor]",
    ],
    "too few seconds": [
      form(
        good,
        purpose,
        'name="expires_after[anchor]"\r\n\r\ncreated_at',
        'name="expires_after[seconds]"\r\n\r\n3599',
      ),
      "invalid_parameter",
      "expires_after[seconds]",
    ],
    "a boundary that never ends": [form(good, purpose).slice(0, -9), "invalid_multipart", null],
    "a part without a name": [form(purpose, good, "x=y\r\n\r\nz"), "invalid_multipart", null],
    "10,000 parts": [form(...Array.from({ length: 10_000 }, () => purpose)), "invalid_multipart", null],
    nothing: ["", "invalid_multipart", null],
  };
  test.each(Object.entries(bad))("%s: 400", async (_name, [body, code, param]) => {
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const response = await gateway.fetch("/v1/files", { method: "POST", headers, body });
    expect(await errorOf(response)).toMatchObject({ status: 400, code, param });
  });

  test("a form without a boundary, of another type, or compressed", async () => {
    const post = async (headers: Record<string, string>) =>
      errorOf(await gateway.fetch("/v1/files", { method: "POST", headers, body: form(good, purpose) }));
    expect(await post({ "content-type": "multipart/form-data" })).toMatchObject({
      status: 400,
      code: "invalid_multipart",
      param: "Content-Type",
    });
    expect(await post({ "content-type": "application/json" })).toMatchObject({ status: 415, param: "Content-Type" });
    expect(await post({ "content-type": "multipart/form-data; boundary=b", "content-encoding": "gzip" })).toMatchObject(
      { status: 415, param: "Content-Encoding" },
    );
  });

  test.each(["../../etc/passwd", "a\0/b"])("a file called %j is stored under a plain name", async (name) => {
    const body = form(purpose, `name="file[]"; filename="${name}"\r\n\r\nabc`);
    const response = await gateway.fetch("/v1/files", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body,
    });
    const made = (await response.json()) as FileObject & { filename: string };
    expect(made.filename).toBe(name.endsWith("b") ? "b" : "passwd");
    await gateway.fetch(`/v1/files/${made.id}`, { method: "DELETE" });
  });

  test("1 GB is a 413 before any of it is sent", async () => {
    const connection = await openRaw(gateway.url);
    connection.send(
      `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${2 ** 30}\r\n\r\n`,
    );
    const response = await connection.response();
    expect([response.status, response.headers.connection]).toEqual([413, "close"]);
    connection.close();
  });

  test("more than may be is a 413 while it comes, and nothing of it is left", async () => {
    const response = await upload(gateway, "z".repeat(3 << 20));
    expect(await errorOf(response)).toMatchObject({ status: 413, code: "body_too_large", param: "file" });
    const scratch = join(gateway.folder, "blobs", "scratch");
    await until("the scratch files to be removed", () =>
      readdirSync(scratch, { recursive: true, withFileTypes: true }).every(
        (entry) => !entry.isFile() || entry.name === "lock",
      ),
    );
  });

  test("a caller that leaves within its upload leaves nothing behind", async () => {
    const before = blobsOf(gateway);
    const connection = await openRaw(gateway.url);
    connection.send(
      `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 2000000\r\n\r\n`,
    );
    connection.send(`--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${"y".repeat(1_500_000)}`);
    const scratch = join(gateway.folder, "blobs", "scratch");
    const scratchFiles = () =>
      readdirSync(scratch, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && entry.name !== "lock",
      );
    await until("a scratch file", () => scratchFiles().length > 0);
    connection.reset();
    await until("the scratch file to be removed", () => scratchFiles().length === 0);
    expect(blobsOf(gateway)).toEqual(before);
  });

  const queries: Record<string, string> = {
    "limit=0": "limit",
    "limit=10001": "limit",
    "order=up": "order",
    "after=file-1": "after",
    "purpose=fun": "purpose",
  };
  test.each(Object.entries(queries))("a list with %s: 400", async (query, param) => {
    expect(await errorOf(await gateway.fetch(`/v1/files?${query}`))).toMatchObject({ status: 400, param });
  });

  test("are given to no more readers at once than there is memory for", async () => {
    const narrow = await startTestGateway({ server: { maxBodyBytes: 1 << 20, maxBodyMemoryBytes: 6 << 20 } });
    const form = new FormData();
    form.set("purpose", "user_data");
    form.set("file", new Blob(Array.from({ length: 16 }, () => new Uint8Array(1 << 20))), "large");
    const { id } = (await (await narrow.fetch("/v1/files", { method: "POST", body: form })).json()) as FileObject;
    const readers = await Promise.all(Array.from({ length: 24 }, () => openRaw(narrow.url)));
    const ask = `GET /v1/files/${id}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${narrow.key}\r\n\r\n`;
    for (const reader of readers) {
      reader.send(ask);
      await reader.received("HTTP/1.1 200");
      reader.pause();
    }
    const content = () => narrow.fetch(`/v1/files/${id}/content`);
    expect(await errorOf(await content())).toMatchObject({ status: 503, code: "overloaded" });
    expect((await narrow.fetch(`/v1/files/${id}/content`, { method: "HEAD" })).status).toBe(200);
    for (const reader of readers) reader.reset();
    await until("the memory to be free", async () => {
      const response = await content();
      return response.ok && (await response.bytes()).length === 16 << 20;
    });
    for (let round = 0; round < 20; round++) {
      expect((await narrow.fetch(`/v1/files/${id}/content`, { method: "HEAD" })).status).toBe(200);
      expect((await (await content()).bytes()).length).toBe(16 << 20);
    }
    await narrow.stop();
  });

  test.each(["file-1", "file-01jzzzzzzzzzzzzzzzzzzzzzzz", "%00"])("there is no file %s", async (id) => {
    expect(await errorOf(await gateway.fetch(`/v1/files/${id}`))).toMatchObject({
      status: 404,
      code: "file_not_found",
    });
  });
});
