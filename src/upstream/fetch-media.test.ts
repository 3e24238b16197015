import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RemoteSource } from "../conversation/fields/remote-sources.ts";
import { GatewayError } from "../errors.ts";
import { createMediaFetcher, type MediaFetcherOptions } from "./fetch-media.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The requests that the server received, newest last. */
const seen: { readonly url: string; readonly headers: Readonly<Record<string, string>> }[] = [];
let server: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
});
afterAll(() => server.stop(true));

function answer(request: Request): Response | Promise<Response> {
  seen.push({ url: request.url, headers: Object.fromEntries(request.headers) });
  const { pathname, searchParams } = new URL(request.url);
  const body = (bytes: Uint8Array, type: string) => new Response(bytes, { headers: { "content-type": type } });
  switch (pathname) {
    case "/image.png":
      return body(png, "image/png");
    case "/unnamed":
      return body(png, "binary/octet-stream");
    case "/page":
      return body(Buffer.from("<p>Hello</p>"), "text/html; charset=utf-8");
    case "/empty":
      return body(new Uint8Array(), "image/png");
    case "/compressed":
      return new Response(Bun.gzipSync(png), { headers: { "content-type": "image/png", "content-encoding": "gzip" } });
    case "/large":
      return body(new Uint8Array(2_000), "image/png");
    case "/endless":
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100)) }), {
        headers: { "content-type": "image/png" },
      });
    case "/silent":
      return new Promise(() => {});
    case "/away":
      return new Response(null, { status: 302, headers: { location: searchParams.get("to") ?? "" } });
    case "/around":
      return new Response(null, { status: 307, headers: { location: "/around" } });
    default:
      return new Response("Nothing here", { status: 404 });
  }
}

/** The test's own server as `media.test`, a name that only the given resolver knows. */
function fetcher(options: Partial<MediaFetcherOptions> = {}) {
  return createMediaFetcher({ allowHosts: ["media.test"], lookup: async () => ["127.0.0.1"], ...options });
}

const at = (path: string): RemoteSource => ({
  url: `http://media.test:${server.port}${path}`,
  kind: "image",
  path: "messages[0].content[1]",
});

async function problem(source: RemoteSource, options: Partial<MediaFetcherOptions> = {}): Promise<string> {
  const thrown: unknown = await fetcher(options)([source]).catch((error: unknown) => error);
  if (!(thrown instanceof GatewayError)) throw new Error(`Expected a refusal, got ${String(thrown)}.`);
  expect(thrown).toMatchObject({ status: 400, code: "invalid_parameter", param: "messages[0].content[1]" });
  expect(thrown.message).toStartWith("The address in 'messages[0].content[1]' could not be fetched: ");
  expect(thrown.message).not.toContain("media.test");
  return thrown.message.replace(/^.*?: /, "");
}

describe("an address is fetched", () => {
  test("the bytes and their type, from the address the resolver gave, under the caller's name for it", async () => {
    const source = at("/image.png?a=1#part");
    const found = await fetcher()([source]);
    expect(found).toEqual(new Map([[source.url, { mediaType: "image/png", base64: png.toString("base64") }]]));
    const request = seen.at(-1);
    expect(request?.headers["host"]).toBe(`media.test:${server.port}`);
    expect(request?.url).toEndWith("/image.png?a=1");
    expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual(["accept", "accept-encoding", "host", "user-agent"]);
  });

  test("several at once, in one answer", async () => {
    const sources = Array.from({ length: 20 }, (_, index) => at(`/image.png?${index}`));
    expect((await fetcher()(sources)).size).toBe(20);
  });

  test("a type told by the bytes where the server does not know it", async () => {
    const source = at("/unnamed");
    expect((await fetcher()([source])).get(source.url)?.mediaType).toBe("image/png");
  });

  test("the target of a redirect, also of a relative one", async () => {
    const target = `http://media.test:${server.port}/away?to=/image.png`;
    const source = at(`/away?to=${encodeURIComponent(target)}`);
    expect((await fetcher()([source])).get(source.url)?.mediaType).toBe("image/png");
  });

  test("an HTML page in place of a document", async () => {
    const source = { ...at("/page"), kind: "document" as const };
    expect((await fetcher()([source])).get(source.url)?.mediaType).toBe("text/html");
  });
});

describe("an address is not fetched", () => {
  test.each([
    ["/page", "its content type is not one of image/*."],
    ["/empty", "it is empty."],
    ["/compressed", "its host sent it compressed."],
    ["/missing", "its host answered with HTTP 404."],
    ["/around", "it redirects more than 3 times."],
  ])("%s", async (path, message) => {
    expect(await problem(at(path))).toBe(message);
  });

  test.each(["/large", "/endless"])("%s: more than the limit", async (path) => {
    expect(await problem(at(path), { maxBytes: 1_000 })).toBe("it is larger than 1000 bytes.");
  });

  test("more than the limit of all together", async () => {
    const sources = Array.from({ length: 5 }, (_, index) => at(`/image.png?${index}`));
    const thrown: unknown = await fetcher({ maxTotalBytes: 3 * png.length })(sources).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      status: 400,
      message: expect.stringContaining("all addresses together are larger"),
    });
  });

  test("an answer that is late, of the host or the resolver", async () => {
    expect(await problem(at("/silent"), { timeoutMs: 50 })).toBe("it took longer than 0.05 seconds.");
    const lookup = () => new Promise<never>(() => {});
    expect(await problem(at("/image.png"), { timeoutMs: 50, lookup })).toBe("it took longer than 0.05 seconds.");
  });

  test("more addresses than a request may hold", async () => {
    const before = seen.length;
    const sources = Array.from({ length: 65 }, (_, index) => at(`/image.png?${index}`));
    const thrown: unknown = await fetcher()(sources).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ status: 400, message: expect.stringContaining("at most 64 addresses") });
    expect(seen.length).toBe(before);
  });
});

describe("addresses that the guard refuses", () => {
  const guarded = (url: string) => problem({ ...at(""), url }, { allowHosts: [] });
  const notPublic = "it does not lead to a public host.";

  test.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://\u2460\u2461\u2466.0.0.1/",
  ])("%s", async (url) => {
    expect(await guarded(url)).toBe(notPublic);
  });

  test.each(["http://localhost/", "http://LOCALHOST./"])("%s, by the system's own resolver", async (url) => {
    const thrown: unknown = await createMediaFetcher({ allowHosts: [] })([{ ...at(""), url }]).catch((error) => error);
    expect(thrown).toMatchObject({ status: 400, message: expect.stringContaining(notPublic) });
  });

  test.each([
    ["ftp://media.test/a.png", "it is not an https:// address."],
    ["file:///etc/passwd", "it is not an https:// address."],
    ["not an address", "it is not an https:// address."],
    ["http://user:secret@media.test/a.png", "it holds a user name or a password."],
  ])("%s", async (url, message) => {
    expect(await guarded(url)).toBe(message);
  });

  test("a name with one private address among several", async () => {
    const lookup = async () => ["8.8.8.8", "10.0.0.1"];
    expect(await problem(at("/image.png"), { allowHosts: [], lookup })).toBe(notPublic);
  });

  test("an unknown host name", async () => {
    const lookup = () => Promise.reject(new Error("ENOTFOUND"));
    expect(await problem(at("/image.png"), { lookup })).toBe("its host is not known.");
  });

  test("a redirect to a private address", async () => {
    const before = seen.length;
    const inside = encodeURIComponent(`http://127.0.0.1:${server.port}/image.png`);
    expect(await problem(at(`/away?to=${inside}`))).toBe(notPublic);
    expect(seen.length).toBe(before + 1);
  });

  test("a name is resolved once, so that a later change has no effect", async () => {
    const answers = ["127.0.0.1", "10.0.0.1"];
    let asked = 0;
    const source = at("/image.png");
    const found = await fetcher({ lookup: async () => [answers[asked++] ?? ""] })([source]);
    expect(found.size).toBe(1);
    expect(asked).toBe(1);
  });
});

test("over TLS the certificate must hold the name, not the address", async () => {
  const hello = Promise.withResolvers<Buffer>();
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        hello.resolve(bytes);
        socket.end();
      },
    },
  });
  try {
    const source = { ...at(""), url: `https://media.test:${listener.port}/image.png` };
    expect(await problem(source)).toBe("its host could not be reached, or its connection broke.");
    expect((await hello.promise).toString("latin1")).toContain("media.test");
  } finally {
    listener.stop(true);
  }
});
