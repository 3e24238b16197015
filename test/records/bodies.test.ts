import { expect, test } from "bun:test";
import { until } from "../until.testkit.ts";
import { onBothStorages } from "../admin/admin.testkit.ts";
import { modelAt, providersAt, speechModel } from "../audio/speech.testkit.ts";
import { transcriberAt, transcriptionModel } from "../audio/transcription.testkit.ts";
import type { TestKey } from "../gateway.testkit.ts";

/** The bodies of requests, kept for accounts that want it: from the opt-in to the deletion. */

interface Body {
  readonly content_type: string | null;
  readonly bytes: number;
  readonly text: string | null;
  readonly omitted: string | null;
  readonly truncated: boolean;
  readonly redactions: number;
}

interface Bodies {
  readonly request: Body;
  readonly answer: Body;
}

onBothStorages(
  (context) => {
    let accounts = 0;
    /** A new account with a key, whose bodies are kept. */
    const newAccount = async (settings: object = { enabled: true }) => {
      const { gateway, send } = context();
      const id = `kept-${(accounts += 1)}`;
      expect(await send("POST", "/accounts", { id })).toMatchObject({ status: 201 });
      const path = `/accounts/${id}/log-bodies`;
      expect(await send("PATCH", path, settings)).toMatchObject({ status: 200 });
      return { id, path, key: await gateway.newKey({ accountId: id }) };
    };
    const call = async (
      { key }: TestKey,
      path: string,
      body: unknown,
      init: { readonly headers?: Readonly<Record<string, string>> } = {},
    ) => {
      const { gateway } = context();
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers };
      const json = JSON.stringify(body);
      const response = await fetch(`${gateway.url}${path}`, { method: "POST", body: json, ...init, headers });
      const text = await response.text();
      return { id: response.headers.get("x-service-request-id") ?? "", text, response };
    };
    const chat = (
      key: TestKey,
      body: object = {},
      init: { readonly headers?: Readonly<Record<string, string>> } = {},
    ) =>
      call(
        key,
        "/v1/chat/completions",
        { model: "sandbox-chat", messages: [{ role: "user", content: "Hello" }], ...body },
        init,
      );
    const ask = async (id: string, key: string, base = "/api/usage") => {
      const { gateway } = context();
      return fetch(`${gateway.url}${base}/requests/${id}/bodies`, { headers: { authorization: `Bearer ${key}` } });
    };
    const bodiesOf = async (id: string, { key }: TestKey): Promise<Bodies> => {
      await until("the bodies are kept", async () => (await ask(id, key)).ok);
      return (await (await ask(id, key)).json()) as Bodies;
    };

    test("of an account that has not opted in nothing is kept, and its records do not speak of bodies", async () => {
      const { gateway, admin, send } = context();
      expect(await send("GET", "/accounts/default/log-bodies")).toMatchObject({
        body: { enabled: false, retention: "7d", kept: { requests: 0, bytes: 0 } },
      });
      const response = await gateway.chat();
      await response.text();
      const id = response.headers.get("x-service-request-id");
      expect(await gateway.record(id)).not.toHaveProperty("bodies");
      expect((await ask(String(id), gateway.key)).status).toBe(404);
      expect((await ask(String(id), admin.key, "/api/admin")).status).toBe(404);
    });

    test("a whole answer is kept with its request, and its record says so", async () => {
      const { gateway, admin } = context();
      const { key } = await newAccount();
      const { id, text } = await chat(key, { user: "u1" });
      const { request, answer } = await bodiesOf(id, key);
      expect(JSON.parse(request.text ?? "")).toMatchObject({ user: "u1", messages: [{ content: "Hello" }] });
      expect(JSON.parse(answer.text ?? "")).toEqual(JSON.parse(text));
      expect(answer).toMatchObject({
        content_type: "application/json",
        bytes: text.length,
        truncated: false,
        omitted: null,
      });
      expect(await gateway.record(id, key.key)).toMatchObject({ bodies: "kept" });
      expect(await (await ask(id, admin.key, "/api/admin")).json()).toMatchObject({
        id,
        answer: { text: answer.text },
      });
    });

    test("a streamed answer is kept with its pieces joined, passed through and translated", async () => {
      const { key } = await newAccount();
      const messages = [{ role: "user", content: "Tell me of tea" }];
      const asked = [
        ["/v1/chat/completions", { model: "sandbox-chat", stream: true, messages }],
        ["/v1/messages", { model: "sandbox-chat", stream: true, max_tokens: 100, messages }],
        ["/v1/responses", { model: "sandbox-chat", stream: true, input: "Tell me of tea" }],
      ] as const;
      for (const [path, body] of asked) {
        const { id, text, response } = await call(key, path, body);
        expect(response.status).toBe(200);
        const { answer } = await bodiesOf(id, key);
        expect(answer).toMatchObject({ bytes: Buffer.byteLength(text), truncated: false });
        expect(answer.content_type).toStartWith("text/event-stream");
        const count = (stream: string) => stream.split("\n").filter((line) => line.startsWith("data:")).length;
        expect(count(answer.text ?? "")).toBeLessThan(count(text));
        expect(textIn(answer.text ?? "")).toBe(textIn(text));
        expect(textIn(text).length).toBeGreaterThan(10);
      }
    });

    test("refusals and failures are kept with the error that the caller saw", async () => {
      const { key } = await newAccount();
      for (const body of [
        { model: "no-such-model" },
        { temperature: "hot" },
        { sandbox: { fault: { kind: "status", status: 500 } } },
      ]) {
        const { id, text, response } = await chat(key, body);
        expect(response.ok).toBe(false);
        const { answer } = await bodiesOf(id, key);
        expect(JSON.parse(answer.text ?? "")).toEqual(JSON.parse(text));
      }
    });

    test("what a caller saw of an answer that it broke off is kept", async () => {
      const { gateway } = context();
      const { key } = await newAccount();
      const leaving = new AbortController();
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        signal: leaving.signal,
        headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "sandbox-chat",
          stream: true,
          messages: [{ role: "user", content: "Hello" }],
          sandbox: { chunks: 200, chunk_delay_ms: 20 },
        }),
      });
      const reader = response.body?.getReader();
      await reader?.read();
      leaving.abort();
      const id = response.headers.get("x-service-request-id") ?? "";
      const { answer } = await bodiesOf(id, key);
      expect(answer.text).toContain("data: ");
    });

    test("a repetition under an idempotency key keeps nothing of its own: the first request's bodies are found by its id", async () => {
      const { send } = context();
      const account = await newAccount();
      const init = { headers: { "idempotency-key": "once" } };
      const first = await chat(account.key, {}, init);
      const again = await chat(account.key, {}, init);
      expect([again.id, again.response.headers.get("idempotent-replayed")]).toEqual([first.id, "true"]);
      await bodiesOf(first.id, account.key);
      expect((await send("GET", account.path)).body["kept"]).toMatchObject({ requests: 1 });
    });

    test("rules take out fields, paths and patterns before anything is kept, also over the pieces of a stream", async () => {
      const { gateway } = context();
      const redact = { fields: ["Password"], paths: ["messages[0].content", "metadata.private"] };
      const { key } = await newAccount({ enabled: true, redact });
      const secret = "sk-proj-abcdefghijklmnop1234";
      const content = `Mail alice@example.com, card 4111 1111 1111 1111, key ${secret}, own ${gateway.key}, order 4111 1111 1111 1112`;
      const { id } = await chat(key, {
        stream: true,
        metadata: { private: "p", public: "q", password: "hunter2" },
        messages: [
          { role: "system", content: "a system prompt" },
          { role: "user", content },
        ],
      });
      const { request, answer } = await bodiesOf(id, key);
      const kept = JSON.parse(request.text ?? "") as { metadata: object; messages: { content: string }[] };
      expect(kept.metadata).toEqual({ private: "[redacted]", public: "q", password: "[redacted]" });
      expect(kept.messages[0]?.content).toBe("[redacted]");
      expect(kept.messages[1]?.content).toBe(
        "Mail [redacted email], card [redacted card], key [redacted key], own [redacted key], order 4111 1111 1111 1112",
      );
      expect(request.redactions).toBe(7);
      for (const text of [secret, gateway.key, "alice@example.com", "4111 1111 1111 1111"])
        expect(answer.text).not.toContain(text);
    });

    test("the credentials of a stored provider are taken out, also those of its headers", async () => {
      const { send, gateway } = context();
      const { key } = await newAccount({ enabled: true, redact: { patterns: [] } });
      const headers = { "x-custom-auth": "Token header-credential-4711" };
      const provider = { id: "kept-vendor", dialect: "openai-chat", base_url: `${gateway.sandbox.url}/v1`, headers };
      expect(await send("POST", "/providers", { ...provider, api_key: "plain-credential-4711" })).toMatchObject({
        status: 201,
      });
      const { id } = await chat(key, {
        messages: [{ role: "user", content: "plain-credential-4711 and header-credential-4711" }],
      });
      expect((await bodiesOf(id, key)).request.text).toContain("[redacted key] and [redacted key]");
      expect(await send("DELETE", "/providers/kept-vendor")).toMatchObject({ status: 200 });
    });

    test("long bodies are cut, and sounds, images and files are told of only", async () => {
      const { key } = await newAccount({ enabled: true, max_body_bytes: 1024 });
      const long = await chat(key, { messages: [{ role: "user", content: "word ".repeat(1_000) }] });
      const cut = (await bodiesOf(long.id, key)).request;
      expect(cut).toMatchObject({ truncated: true, omitted: null });
      expect(Buffer.byteLength(cut.text ?? "")).toBeLessThanOrEqual(1024);
      expect(cut.bytes).toBeGreaterThan(5_000);

      const speech = await call(key, "/v1/audio/speech", { model: modelAt("openai"), voice: "alloy", input: "Hello" });
      expect(speech.response.status).toBe(200);
      expect((await bodiesOf(speech.id, key)).answer).toMatchObject({ text: null, omitted: "media" });

      const image = `data:image/png;base64,${Buffer.alloc(600, 1).toString("base64")}`;
      const seen = await chat(key, {
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: image } }] }],
      });
      expect((await bodiesOf(seen.id, key)).request.text).toContain("[image/png, 822 characters]");

      const form = new FormData();
      form.set("model", transcriberAt("openai"));
      form.set("file", new File([wave()], "sound.wav"));
      const { gateway } = context();
      const transcript = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
        method: "POST",
        body: form,
        headers: { authorization: `Bearer ${key.key}` },
      });
      await transcript.text();
      const id = transcript.headers.get("x-service-request-id") ?? "";
      const { request } = await bodiesOf(id, key);
      expect(JSON.parse(request.text ?? "")).toMatchObject({
        model: transcriberAt("openai"),
        file: { filename: "sound.wav", bytes: 32_044 },
      });
    });

    test("a key sees the bodies of its own requests alone", async () => {
      const { gateway } = context();
      const { id: account, key } = await newAccount();
      const other = await gateway.newKey({ accountId: account });
      const { id } = await chat(key);
      await bodiesOf(id, key);
      expect((await ask(id, other.key)).status).toBe(404);
      expect((await ask(id, gateway.key)).status).toBe(404);
      expect((await ask(id, key.key, "/api/admin")).status).toBe(403);
    });

    test("bodies are deleted by request and by account, and no longer kept after an opt-out", async () => {
      const { send } = context();
      const { id: account, path, key } = await newAccount();
      const [first, second] = [await chat(key), await chat(key)];
      await bodiesOf(first.id, key);
      await bodiesOf(second.id, key);
      expect(await send("DELETE", `/requests/${first.id}/bodies`)).toMatchObject({
        status: 200,
        body: { deleted: true },
      });
      expect(await send("DELETE", `/requests/${first.id}/bodies`)).toMatchObject({ status: 404 });
      expect((await ask(first.id, key.key)).status).toBe(404);
      expect((await ask(second.id, key.key)).status).toBe(200);
      expect(await send("DELETE", `/accounts/${account}/bodies`)).toMatchObject({ status: 200 });
      expect((await ask(second.id, key.key)).status).toBe(404);
      const kept = async () => (await send("GET", path)).body["kept"];
      await until("the storage is freed", async () => JSON.stringify(await kept()) === '{"bytes":0,"requests":0}');
      expect(await send("PATCH", path, { enabled: false })).toMatchObject({ body: { enabled: false } });
      const after = await chat(key);
      expect(await context().gateway.record(after.id, key.key)).not.toHaveProperty("bodies");
      const { body } = await send("GET", `/changes?kind=account&id=${account}`);
      expect(body.data?.map((change) => change["action"])).toEqual([
        "log_bodies",
        "delete_bodies",
        "delete_bodies",
        "log_bodies",
        "create",
      ]);
    });

    test("another gateway keeps bodies within a second of the opt-in", async () => {
      const { other } = context();
      const { key } = await newAccount();
      const isKept = async () => {
        const response = await fetch(`${other.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: "Hi" }] }),
        });
        await response.text();
        const id = response.headers.get("x-service-request-id") ?? "";
        return "bodies" in (await other.record(id, key.key));
      };
      await until("the other gateway keeps bodies", isKept);
    });

    test("a change sets the fields that it has, null stands for what is usual, and wrong input is named", async () => {
      const { send } = context();
      const { path } = await newAccount({
        enabled: true,
        retention: "2h",
        max_bytes: 1_048_576,
        redact: { fields: ["a"] },
      });
      expect((await send("PATCH", path, { redact: { patterns: ["keys"] } })).body).toMatchObject({
        enabled: true,
        retention: "2h",
        redact: { fields: ["a"], paths: [], patterns: ["keys"] },
      });
      expect((await send("PATCH", path, { retention: null, redact: null })).body).toMatchObject({
        retention: "7d",
        redact: { fields: [], patterns: ["keys", "emails", "cards"] },
      });
      const wrong = [
        [{ retention: "1s" }, "retention"],
        [{ retention: "soon" }, "retention"],
        [{ max_body_bytes: 1 }, "max_body_bytes"],
        [{ redact: { paths: ["a..b"] } }, "redact.paths[0]"],
        [{ redact: { fields: [""] } }, "redact.fields[0]"],
        [{ redact: { patterns: ["names"] } }, "redact.patterns[0]"],
        [{ enable: true }, "enable"],
      ] as const;
      for (const [input, param] of wrong) {
        expect(await send("PATCH", path, input)).toMatchObject({ status: 400, body: { error: { param } } });
      }
      expect(await send("PATCH", "/accounts/none/log-bodies", {})).toMatchObject({ status: 404 });
      expect(await send("DELETE", "/accounts/none/bodies")).toMatchObject({ status: 404 });
    });
  },
  {
    providers: providersAt,
    models: [speechModel(modelAt("openai"), ["openai"]), transcriptionModel(transcriberAt("openai"), ["openai"])],
  },
);

/** The text of an answer in events, of any dialect. */
function textIn(stream: string): string {
  let text = "";
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const event = JSON.parse(line.slice(6)) as {
      type?: string;
      delta?: string | { text?: string };
      choices?: { delta?: { content?: string } }[];
    };
    if (typeof event.delta === "string") text += event.type === "response.output_text.delta" ? event.delta : "";
    else text += event.delta?.text ?? event.choices?.[0]?.delta?.content ?? "";
  }
  return text;
}

/** A second of silence. */
function wave(): Uint8Array<ArrayBuffer> {
  const data = 32_000;
  const header = Buffer.alloc(44 + data);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + data, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(data, 40);
  return new Uint8Array(header);
}
