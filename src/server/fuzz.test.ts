import { afterEach, expect, test } from "bun:test";
import { Agent, request as nodeRequest } from "node:http";
import fc from "fast-check";
import { usualLimits } from "./limits.ts";
import { Found, RequestParser } from "./request-parser.ts";
import { bodyOf, RawClient, serve, stopAll } from "./server.testkit.ts";

afterEach(stopAll);

interface GeneratedRequest {
  readonly method: string;
  readonly target: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Sizes of the chunks; null if the body is sent with a length. */
  readonly chunks: readonly number[] | null;
  readonly extension: string;
  readonly trailers: string;
}

const latin1 = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength }).map((bytes) => String.fromCharCode(...bytes));

const request: fc.Arbitrary<GeneratedRequest> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "X-OWN"),
  target: fc.stringMatching(/^\/[!-"$-~]{0,30}$/),
  fields: fc.array(
    fc.tuple(
      fc.stringMatching(/^x-[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/),
      fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,30}$/),
    ),
    { maxLength: 6 },
  ),
  body: latin1(300),
  chunks: fc.option(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 })),
  extension: fc.constantFrom("", ";a", ';a="b c"', ";;"),
  trailers: fc.constantFrom("", "T: a\r\n", "T: a\r\nU: Content-Length: 3\r\n"),
});

/** What a request looks like on the wire. */
function wire({ method, target, fields, body, chunks, extension, trailers }: GeneratedRequest): string {
  const framing = chunks === null ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked";
  const head = [`${method} ${target} HTTP/1.1`, "Host: x", ...fields.map(([n, v]) => `${n}:${v}`), framing].join(
    "\r\n",
  );
  if (chunks === null) return `${head}\r\n\r\n${body}`;
  let text = `${head}\r\n\r\n`;
  for (let at = 0, next = 0; at < body.length; next++) {
    const data = body.slice(at, at + (chunks[next % chunks.length] ?? 1));
    text += `${data.length.toString(16)}${extension}\r\n${data}\r\n`;
    at += data.length;
  }
  return `${text}0${extension}\r\n${trailers}\r\n`;
}

/** What a handler must see of it, by a model of its own. */
function seen({ method, target, fields, body }: GeneratedRequest) {
  const headers = new Headers();
  for (const [name, value] of fields) headers.append(name, value);
  return { method, target, body, headers: [...headers] };
}

/** A text in pieces, cut at places that are shares of its length. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => Math.floor(place * text.length)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)).filter((piece) => piece !== "");
}

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

test("generated requests on one connection are seen as they are, wherever they are cut", async () => {
  const told: ReturnType<typeof seen>[] = [];
  let asked: readonly GeneratedRequest[] = [];
  const server = serve((exchange) => {
    const index = told.length;
    const names = new Set(asked[index]?.fields.map(([name]) => name.toLowerCase()));
    void bodyOf(exchange).then((body) => {
      const headers = [...names].sort().map((name) => [name, exchange.headers.get(name) ?? ""] as [string, string]);
      told.push({ method: exchange.method, target: exchange.target, body: body.toString("latin1"), headers });
      exchange.respond(200, {}, "");
    });
  });
  const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 4 }), places, async (requests, at) => {
    told.length = 0;
    asked = requests;
    const client = await RawClient.connect(server);
    const text = requests.map(wire).join("");
    for (const piece of cut(`${text}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, at)) {
      client.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const all = await client.all();
    expect(told.slice(0, -1)).toEqual(requests.map(seen));
    expect([...(all.match(/HTTP\/1\.1 \d+/g) ?? [])]).toEqual(
      Array.from({ length: requests.length + 1 }, () => "HTTP/1.1 200"),
    );
  });
  await fc.assert(property, { numRuns: 300 });
});

/** What a parser finds in bytes that come in pieces. */
function parse(pieces: readonly string[]): { requests: string[]; status: number } {
  const parser = new RequestParser(usualLimits);
  const requests: string[] = [];
  let body = "";
  for (const piece of pieces) {
    parser.give(Buffer.from(piece, "latin1"));
    for (let found = parser.next(); found !== Found.nothing; found = parser.next()) {
      if (found === Found.invalid) return { requests, status: parser.faultStatus };
      if (found === Found.bytes) body += parser.piece?.toString("latin1");
      if (found !== Found.end) continue;
      requests.push(`${parser.head?.method} ${parser.head?.target} ${body}`);
      body = "";
      parser.reset();
    }
  }
  return { requests, status: 0 };
}

/** Bytes that matter to a parser, and some that do not. */
const odd = fc.constantFrom(
  "\r",
  "\n",
  "\r\n",
  " ",
  "\t",
  ":",
  "\0",
  "0",
  "f",
  ";",
  ",",
  "\x7f",
  "\xff",
  "a",
  "Content-Length: 1\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Host: y\r\n",
);
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.integer({ min: 0, max: 3 }),
  insert: odd,
});

test("requests that were damaged are read alike wherever they are cut, and never as more than they are", () => {
  let refused = 0;
  const property = fc.property(
    fc.array(request, { minLength: 1, maxLength: 3 }),
    fc.array(change, { minLength: 1, maxLength: 3 }),
    places,
    (requests, changes, at) => {
      let text = requests.map(wire).join("");
      for (const { at, remove, insert } of changes) {
        const place = Math.floor(at * text.length);
        text = text.slice(0, place) + insert + text.slice(place + remove);
      }
      const whole = parse([text]);
      const pieces = parse(cut(text, at));
      expect(pieces.requests).toEqual(whole.requests);
      // A part of a head is refused as soon as no more bytes can mend it, which may be before its end has come.
      if (whole.status !== 0) expect(pieces.status).toBe(whole.status);
      if (whole.status !== 0) refused++;
    },
  );
  fc.assert(property, { numRuns: 3_000 });
  expect(refused).toBeGreaterThan(500);
});

test("what node:http sends is seen as it was meant", async () => {
  const server = serve((exchange) => {
    void bodyOf(exchange).then((body) => {
      const answer = {
        method: exchange.method,
        target: exchange.target,
        x: exchange.headers.get("x-a"),
        size: body.length,
      };
      exchange.respond(200, { "content-type": "application/json" }, JSON.stringify(answer));
    });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const generated = fc.record({
    method: fc.constantFrom("POST", "PUT", "PATCH"),
    path: fc.stringMatching(/^\/[a-z0-9/?&=%.-]{0,20}$/),
    value: fc.stringMatching(/^[a-z ,]{1,20}$/).map((text) => `v${text}v`),
    pieces: fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 4 }),
    isChunked: fc.boolean(),
  });
  const property = fc.asyncProperty(generated, async ({ method, path, value, pieces, isChunked }) => {
    const size = pieces.reduce((sum, piece) => sum + piece, 0);
    const framing = isChunked ? {} : { "content-length": size };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const request = nodeRequest(
      server.url,
      { method, path, agent, headers: { "x-a": value, ...framing } },
      (response) => {
        let text = "";
        response.on("data", (piece: Buffer) => (text += piece.toString()));
        response.on("end", () => resolve(text));
      },
    );
    request.on("error", reject);
    for (const piece of pieces) request.write(Buffer.alloc(piece, "a"));
    request.end();
    expect(JSON.parse(await promise)).toEqual({ method, target: path, x: value, size });
  });
  await fc.assert(property, { numRuns: 100 });
  agent.destroy();
});
