import { describe, expect, test } from "bun:test";
import { usualLimits } from "./limits.ts";
import { Found, RequestParser } from "./request-parser.ts";

interface Parsed {
  readonly requests: { method: string; target: string; body: string }[];
  readonly fault: string;
  readonly status: number;
  readonly isComplete: boolean;
}

/** Parses bytes that come in the given pieces. */
function parse(pieces: readonly string[], limits = usualLimits): Parsed {
  const parser = new RequestParser(limits);
  const requests: Parsed["requests"] = [];
  let body = "";
  for (const piece of pieces) {
    parser.give(Buffer.from(piece, "latin1"));
    for (let found = parser.next(); found !== Found.nothing; found = parser.next()) {
      if (found === Found.invalid) {
        return { requests, fault: parser.fault, status: parser.faultStatus, isComplete: false };
      }
      if (found === Found.bytes) body += parser.piece?.toString("latin1");
      if (found === Found.end) {
        requests.push({ method: parser.head?.method ?? "", target: parser.head?.target ?? "", body });
        body = "";
        parser.reset();
      }
    }
  }
  return { requests, fault: "", status: 0, isComplete: !parser.isWithinHead && parser.head === null };
}

const get = "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n";

describe("requests", () => {
  const text =
    "POST /one HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" +
    "\r\nPOST /two HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n" +
    get;
  const requests = [
    { method: "POST", target: "/one", body: "hello" },
    { method: "POST", target: "/two", body: "abc0123456789" },
    { method: "GET", target: "/a?b", body: "" },
  ];

  test("are read in one piece", () => {
    expect(parse([text])).toEqual({ requests, fault: "", status: 0, isComplete: true });
  });

  test("are read in two pieces, wherever they are cut", () => {
    for (let at = 1; at < text.length; at++) {
      expect(parse([text.slice(0, at), text.slice(at)]).requests, `cut at ${at}`).toEqual(requests);
    }
  });

  test("are read byte by byte", () => {
    expect(parse(text.split("")).requests).toEqual(requests);
  });

  test("are bounded: a head of 32 KB is read, a larger one is not", () => {
    const head = (size: number) => {
      const begin = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
      return `${begin}${"a".repeat(size - begin.length - 4)}\r\n\r\n`;
    };
    expect(parse([head(usualLimits.maxHeadBytes)]).requests).toHaveLength(1);
    for (const pieces of [[head(40_000)], head(40_000).match(/[^]{1,1000}/g) ?? [], [head(1_000_000)]]) {
      expect(parse(pieces)).toMatchObject({ status: 431, fault: "its head is larger than 32768 bytes" });
    }
  });
});

describe("the form of a target", () => {
  test.each([
    ["GET", "/", "/"],
    ["GET", "http://host:1/path?q", "/path?q"],
    ["GET", "HTTPS://host", "/"],
    ["GET", "http://host?q", "/?q"],
    ["OPTIONS", "*", "*"],
    ["GET", "//a//b", "//a//b"],
  ])("%s %s is %s", (method, target, expected) => {
    expect(parse([`${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`]).requests[0]?.target).toBe(expected);
  });
});

/** Requests that are refused, by what is wrong with them. */
const malformed: Readonly<Record<string, string>> = {
  "both a length and chunks": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
  "both, the other way round": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
  "two equal lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
  "a list of lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc",
  "a negative length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc",
  "a signed length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc",
  "a hexadecimal length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc",
  "an empty length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\nabc",
  "an absurd length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999\r\n\r\nabc",
  "a length with a blank within": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3 3\r\n\r\nabc",
  "another coding": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
  "several codings": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
  "chunked twice": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
  "chunked twice in one": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
  "a coding with a parameter": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked;a=b\r\n\r\n",
  "a quoted coding": 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "chunked"\r\n\r\n',
  "an empty coding": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n",
  "a vertical tab before the coding": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \vchunked\r\n\r\n",
  "chunks in HTTP/1.0": "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
  "a folded header": "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
  "a folded first header": "GET / HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n",
  "a blank before the colon": "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
  "a header without a name": "GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n",
  "a header without a colon": "GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n",
  "a name with a control character": "GET / HTTP/1.1\r\nHost: x\r\nA\x01: b\r\n\r\n",
  "a bare line feed": "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n",
  "bare line feeds": "GET / HTTP/1.1\nHost: x\n\n",
  "a bare carriage return": "GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n",
  "a NUL": "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n",
  "a DEL": "GET / HTTP/1.1\r\nHost: x\r\nA: b\x7fc\r\n\r\n",
  "no Host": "GET / HTTP/1.1\r\nA: b\r\n\r\n",
  "no header at all": "GET / HTTP/1.1\r\n\r\n",
  "two Hosts": "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
  "an empty Host": "GET / HTTP/1.1\r\nHost:\r\n\r\n",
  "a Host with a path": "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n",
  "a Host with a user": "GET / HTTP/1.1\r\nHost: a@x\r\n\r\n",
  "a Host with a blank": "GET / HTTP/1.1\r\nHost: x y\r\n\r\n",
  "a malformed method": "G(T / HTTP/1.1\r\nHost: x\r\n\r\n",
  "a very long method": `${"A".repeat(33)} / HTTP/1.1\r\nHost: x\r\n\r\n`,
  "no method": " / HTTP/1.1\r\nHost: x\r\n\r\n",
  "no target": "GET HTTP/1.1\r\nHost: x\r\n\r\n",
  "an empty target": "GET  HTTP/1.1\r\nHost: x\r\n\r\n",
  "a relative target": "GET a HTTP/1.1\r\nHost: x\r\n\r\n",
  "an authority as the target": "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "an asterisk without OPTIONS": "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
  "a target with a tab": "GET /\ta HTTP/1.1\r\nHost: x\r\n\r\n",
  "a target with a fragment": "GET /#a HTTP/1.1\r\nHost: x\r\n\r\n",
  "a target that is not ASCII": "GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n",
  "two blanks before the version": "GET /  HTTP/1.1\r\nHost: x\r\n\r\n",
  "a blank after the version": "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
  "no version": "GET /\r\nHost: x\r\n\r\n",
  "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/1.2": "GET / HTTP/1.2\r\nHost: x\r\n\r\n",
  "a version in lower case": "GET / http/1.1\r\nHost: x\r\n\r\n",
  "a TLS handshake": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "two empty lines": "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
};

const chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
const malformedChunks: Readonly<Record<string, string>> = {
  "no size": "\r\nabc\r\n0\r\n\r\n",
  "a negative size": "-3\r\nabc\r\n0\r\n\r\n",
  "a prefixed size": "0x3\r\nabc\r\n0\r\n\r\n",
  "an absurd size": "FFFFFFFFFFFFFFFF\r\nabc",
  "a blank after the size": "3 \r\nabc\r\n0\r\n\r\n",
  "a bare line feed after the size": "3\nabc\r\n0\r\n\r\n",
  "data that is too long": "3\r\nabcd\r\n0\r\n\r\n",
  "a line feed in an extension": "3;a\nb\r\nabc\r\n0\r\n\r\n",
  "a control character in a trailer": "3\r\nabc\r\n0\r\nA: \x01\r\n\r\n",
  "endless extensions": `1;${"a".repeat(70_000)}\r\n`,
  "endless trailers": `0\r\n${"A: b\r\n".repeat(20_000)}\r\n`,
};

describe("a request is refused that has", () => {
  const cases = [...Object.entries(malformed), ...Object.entries(malformedChunks).map(([a, b]) => [a, chunked + b])];
  test.each(cases)("%s", (_what, text = "") => {
    const whole = parse([text]);
    expect(whole.fault).not.toBe("");
    expect(whole.status).toBe(400);
    const bytes = parse(text.split(""));
    expect({ requests: bytes.requests, status: bytes.status }).toEqual({ requests: [], status: 400 });
  });

  test("more than 100 headers", () => {
    const head = (count: number) => `GET / HTTP/1.1\r\nHost: x\r\n${"A: b\r\n".repeat(count - 1)}\r\n`;
    expect(parse([head(100)]).requests).toHaveLength(1);
    expect(parse([head(101)]).status).toBe(431);
  });

  test("an expectation that is not known", () => {
    expect(parse(["GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n"]).status).toBe(417);
  });
});
