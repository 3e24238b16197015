import { describe, expect, test } from "bun:test";
import type { Environment } from "../config.ts";
import { ConfigError, formatProblem } from "../problem.ts";
import { readConfigText } from "./read-config-file.ts";

const provider = "providers: [{ id: openai, dialect: openai-chat, base_url: https://api.openai.com/v1 }]";

function read(text: string, environment: Environment = {}) {
  return readConfigText(text, "t.yaml", environment, null);
}

/** All problems of a text, formatted. */
function problemsOf(text: string, environment: Environment = {}): string[] {
  try {
    read(text, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

describe("the web search of a model", () => {
  const model = (more: string) => `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: m }]${more} }]`;
  const searchOf = (more: string) => read(model(more)).models[0]?.webSearch;

  test("is left to its provider unless told otherwise", () => {
    expect(searchOf("")).toBeUndefined();
    expect(searchOf(", web_search: {}")).toEqual({ backend: "auto", maxRounds: 3 });
    expect(searchOf(", web_search: { backend: main, max_rounds: 10 }")).toEqual({ backend: "main", maxRounds: 10 });
  });

  test("has bounds", () => {
    expect(problemsOf(model(", web_search: { max_rounds: 0 }"))).toEqual([expect.stringContaining("max_rounds")]);
    expect(problemsOf(model(", web_search: { backend: 7, rounds: 1 }"))).toHaveLength(2);
  });
});

describe("a valid file", () => {
  test("is read with all defaults", () => {
    const config = read(
      `server:    { host: 127.0.0.1, port: 8787 }
storage:   { url: "sqlite:./data/tollgate.db" }
providers:
  - { id: openai, dialect: openai-chat, base_url: "https://api.openai.com/v1/", api_key: "\${OPENAI_API_KEY}",
      timeouts: { connect_ms: 1000 } }
models:
  - { id: gpt-5-mini, targets: [{ provider: openai, model: gpt-5-mini }], context_length: 400000,
      parameters: { tools: true }, prices: { input: 0.25, cache_read: "0.025", output: 2.00 } }`,
      { OPENAI_API_KEY: "sk-test" },
    );
    expect(config.usesSandbox).toBe(false);
    expect(config.providers).toEqual([
      {
        id: "openai",
        dialects: ["openai-chat"],
        baseUrl: "https://api.openai.com/v1",
        apiKeys: ["sk-test"],
        headers: {},
        timeouts: { connectMs: 1000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 900_000 },
        maxInFlight: null,
        circuit: { failures: 5, openMs: 30_000, failureRate: 0.5, minCalls: 20 },
        onCallerAbort: "cancel",
      },
    ]);
    expect(config.models).toEqual([
      {
        id: "gpt-5-mini",
        name: "gpt-5-mini",
        description: null,
        ownedBy: "openai",
        created: 0,
        targets: [{ provider: "openai", model: "gpt-5-mini", weight: 1 }],
        strategy: null,
        retry: null,
        endpoints: ["chat", "responses", "messages", "generate_content"],
        parameters: { tools: true },
        inputModalities: ["text"],
        outputModalities: ["text"],
        contextLength: 400_000,
        maxOutputTokens: null,
        hostedTools: "omit",
        temperature: { min: 0, max: 2 },
        deprecatedAt: null,
        prices: { input: 250_000, cache_read: 25_000, output: 2_000_000 },
      },
    ]);
  });

  test("counts null values as absent", () => {
    const config = read("server:\n  port:\nstorage:\nproviders:\nmodels:\n");
    expect(config.server.port).toBe(8787);
    expect(config.usesSandbox).toBe(true);
  });

  test("converts text from the environment to numbers and booleans", () => {
    const text = "server:\n  port: '${PORT}'\n  drain_ms: ${DRAIN:-100}\nsandbox: { enabled: '${SANDBOX}' }";
    const config = read(text, { PORT: "9000", SANDBOX: "false" });
    expect(config.server).toMatchObject({ port: 9000, drainMs: 100 });
    expect(config.usesSandbox).toBe(false);
  });

  test("keeps a key of digits from the environment as text", () => {
    const text = provider.replace("v1 }", "v1, api_key: '${KEY}' }");
    expect(read(text, { KEY: "123456" }).providers[0]?.apiKeys).toEqual(["123456"]);
  });

  test("reads an exact price from the environment", () => {
    const text = `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: m }], prices: { input: '\${P}' } }]`;
    expect(read(text, { P: "0.29" }).models[0]?.prices).toEqual({ input: 290_000 });
  });

  test("distinguishes a model without prices from one with an empty map", () => {
    const model = (rest: string) =>
      `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: m }]${rest} }]`;
    expect(read(model("")).models[0]?.prices).toBeNull();
    expect(read(model(", prices: {}")).models[0]?.prices).toEqual({});
  });

  test("includes the sandbox beside configured providers if it is enabled", () => {
    const config = read(
      `sandbox: { enabled: true }\n${provider}\nmodels: [{ id: m, targets: [{ provider: sandbox, model: sandbox-chat }] }]`,
    );
    expect(config.usesSandbox).toBe(true);
    expect(config.providers.map(({ id }) => id)).toEqual(["openai", "sandbox"]);
    expect(config.models.map(({ id }) => id)).toContain("sandbox-chat");
  });

  test("reads dates and times as Unix seconds", () => {
    const config = read(
      `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: m }], created: 2026-01-31, deprecated_at: 1800000000 }]`,
    );
    expect(config.models[0]).toMatchObject({ created: Date.UTC(2026, 0, 31) / 1000, deprecatedAt: 1_800_000_000 });
  });
});

describe("an invalid file", () => {
  const model = (rest: string) =>
    `${provider}\nmodels:\n  - { id: m, targets: [{ provider: openai, model: m }], ${rest} }`;

  test.each([
    ["port: 1", 't.yaml:1:1: port: found an unknown name "port"; allowed: server,'],
    [
      "server: { prot: 1 }",
      't.yaml:1:11: server.prot: found an unknown name "prot" (did you mean "port"?); allowed: host, port,',
    ],
    ["server: { port: 65536 }", "t.yaml:1:17: server.port: found 65536; allowed: a whole number from 0 to 65535"],
    ["server: { port: 1.5 }", "server.port: found 1.5; allowed: a whole number"],
    ["server: { port: abc }", 'server.port: found "abc"; allowed: a whole number'],
    ["server: { port: '8787' }", 'server.port: found "8787"; allowed: a whole number'],
    ["server: { port: .inf }", "server.port: found Infinity; allowed: a whole number"],
    ["server: [1]", "server: found a list of 1 item; allowed: a map with host,"],
    ["hello", 'found "hello"; allowed: a map with server,'],
    ["storage: { url: data.db }", 'storage.url: found "data.db"; allowed: sqlite:'],
    ["log: { level: loud }", 'log.level: found "loud"; allowed: one of debug, info, warn, error'],
    ["fetch: { allow_hosts: [10.0.0.5:80] }", 'fetch.allow_hosts[0]: found "10.0.0.5:80"; allowed: a host\'s name'],
    ["responses: { retention: 30 }", "responses.retention: found 30; allowed: a duration such as 30s"],
    ["responses: { retention: 0s }", 'responses.retention: found "0s"; allowed: a duration such as 30s'],
    ["cors: { origins: [example.com] }", 'cors.origins[0]: found "example.com"; allowed: an origin'],
    ["models: [{ id: m }]", "t.yaml:1:10: models[0].targets: found nothing; allowed: a list of 1 to 16 targets"],
    [
      "models: [{ id: m, targets: [] }]",
      "models[0].targets: found a list of 0 items; allowed: a list of 1 to 16 targets",
    ],
    ["providers: [{ id: 'a b' }]", 'providers[0].id: found "a b"; allowed: a name of letters'],
    ["providers: [{ id: a, dialect: gemni }]", 'providers[0].dialect: found "gemni"; allowed: one of openai-chat'],
    ["providers: [{ base_url: 'ftp://x/' }]", 'providers[0].base_url: found "ftp://x/"; allowed: an http'],
    ["providers: [{ base_url: 'htps://x.example/v1' }]", 'providers[0].base_url: found "htps://x.example/v1"'],
    [
      "providers: [{ base_url: 'htps://x.example/openai/deployments/gpt4/production/v1' }]",
      'providers[0].base_url: found "htps://x.example/openai/deployments/gpt4/production/v1"',
    ],
    ["providers: [{ base_url: 'htps://u:p@x/' }]", "providers[0].base_url: found a string of 13 characters"],
    ["providers: [{ base_url: 'https://x/?a=1' }]", "providers[0].base_url: found a string of 14 characters"],
    ["providers: [{ base_url: 'https://u:p@x/' }]", "providers[0].base_url: found a string of 14 characters"],
    [
      "providers: [{ api_key: 'a b' }]",
      "providers[0].api_key: found a string of 3 characters; allowed: a key without spaces",
    ],
    ["providers: [{ api_key: '' }]", "providers[0].api_key: found an empty string"],
    [
      "providers: [{ headers: { 'a b': x } }]",
      'providers[0].headers["a b"]: found a name of 3 characters; allowed: a header',
    ],
    ['providers: [{ headers: { a: "x\\ny" } }]', "providers[0].headers.a: found a string of 3 characters"],
    ["providers: [{ headers: { A: x, a: y } }]", "providers[0].headers.a: found a duplicate header"],
    [
      "providers: [{ timeouts: { idle_ms: 0 } }]",
      "providers[0].timeouts.idle_ms: found 0; allowed: a whole number of milliseconds",
    ],
    ["log: { level: very-loud-indeed-and-longer }", 'log.level: found "very-loud-indeed-and-longer"; allowed: one of'],
    ["server: { host: 'Zürich \u202e' }", 'server.host: found "Zürich \\u{202e}"; allowed: a host name'],
    ["models: [{ id: a }, { id: a }]", "models[1].id: Duplicate model id 'a' (models[0])."],
    ["providers: [{ id: a }, { id: a }]", "providers[1].id: Duplicate provider id 'a' (providers[0])."],
    [
      "sandbox: { enabled: true }\nproviders: [{ id: sandbox }]",
      "providers[0].id: Duplicate provider id 'sandbox' (the built-in sandbox).",
    ],
    ["server:\n  port: ${PORT}", "t.yaml:2:9: server.port: found the environment variable PORT, which is not set"],
    [model("prices: { input: 1e-13 }"), "t.yaml:3:74: models[0].prices.input: found 1e-13; allowed: a price in USD"],
    [model("prices: { input: -1 }"), "models[0].prices.input: found -1; allowed: a price in USD"],
    [model("prices: { inputs: 1 }"), 'models[0].prices.inputs: found an unknown name "inputs" (did you mean "input"?)'],
    [model("parameters: { tools: maybe }"), 'models[0].parameters.tools: found "maybe"; allowed: true or false'],
    [model("endpoints: [chat, chats]"), 'models[0].endpoints[1]: found "chats"; allowed: one of chat'],
    [model("temperature: { min: 2, max: 1 }"), "models[0].temperature: found min greater than max"],
    [model("created: 2026-02-30"), 'models[0].created: found "2026-02-30"; allowed: a date'],
    [model("context_length: 0"), "models[0].context_length: found 0; allowed: a whole number of tokens"],
    [
      `${provider}\nmodels: [{ id: "a\\u0000b" }]`,
      String.raw`models[0].id: found "a\u0000b"; allowed: a name, or a prefix`,
    ],
    [
      `${provider}\nmodels: [{ id: ${"x".repeat(201)} }]`,
      `models[0].id: found "${"x".repeat(80)}"... (201 characters)`,
    ],
    [
      `${provider}\nmodels: [{ id: m, targets: [{ provider: opnai, model: m }] }]`,
      'models[0].targets[0].provider: found an unknown provider "opnai" (did you mean "openai"?); allowed: one of openai',
    ],
  ])("%j is refused", (text, expected) => {
    expect(problemsOf(text)).toContainEqual(expect.stringContaining(expected));
  });

  test("reports all problems, in the order of the file", () => {
    const text = [
      "server: { port: -1 }",
      "storge: {}",
      "log: { level: '${NOPE}' }",
      "providers:",
      "  - { id: a, dialect: openai-chat, base_url: x }",
      "  - { id: a, dialect: openai-chat, base_url: https://x }",
      "models:",
      "  - { id: m, targets: [{ provider: b, model: m }] }",
    ].join("\n");
    expect(problemsOf(text).map((line) => /^t\.yaml:(\d+):\d+: (\S+):/.exec(line)?.slice(1))).toEqual([
      ["1", "server.port"],
      ["2", "storge"],
      ["3", "log.level"],
      ["5", "providers[0].base_url"],
      ["6", "providers[1].id"],
      ["8", "models[0].targets[0].provider"],
    ]);
  });

  test("reports a value that violates two rules once", () => {
    expect(problemsOf("server: { port: -1.5 }")).toHaveLength(1);
  });

  test.each([
    ["a key with a space", "providers: [{ api_key: 'sk-hidden x' }]"],
    ["a key from the environment", "providers: [{ api_key: '${SECRET}' }]"],
    ["an id from the environment", "providers: [{ id: '${HIDDEN}' }, { id: '${HIDDEN}' }]"],
    ["a name from the environment", "models: [{ id: m, targets: [{ provider: '${HIDDEN}', model: m }] }]"],
    ["a secret in the wrong place", "server: { port: '${SECRET}', host: '${SECRET}' }"],
    ["a header's value", 'providers: [{ headers: { authorization: "sk-hidden\\n" } }]'],
    [
      "a password in an address",
      "providers: [{ base_url: 'https://u:sk-hidden@x/' }]\nstorage: { url: 'mysql://sk-hidden@x' }",
    ],
    [
      "a key in the path of an address",
      "providers: [{ base_url: 'htps://x/hidden0123456789abcdefABCDEF01234567/v1' }]",
    ],
    ["a key where a map belongs", "providers: sk-hidden-0123456789"],
    ["a key given as a name", "providers: [{ api_key: { 'sk-hidden 012': 1 }, 'sk-hidden 012': 1 }]"],
    ["a key in a list", "providers: [{ api_keys: ['hidden x'] }]"],
    ["a key at another place", "server: { host: 'x sk-hidden' }\nlog: { level: hidden0123456789abcdefABCDEF01234567 }"],
    ["a number as key", "providers: [{ api_key: 4567890123 }]"],
  ])("%s is never shown", (_what, text) => {
    const problems = problemsOf(text, { SECRET: "sk-hidden x", HIDDEN: "hidden" });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join("\n")).not.toMatch(/hidden|4567890123/);
  });

  test("limits the length of the message", () => {
    const text = Array.from({ length: 1000 }, (_, index) => `unknown${index}: 1`).join("\n");
    try {
      read(text);
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigError).problems).toHaveLength(1000);
      expect((error as ConfigError).message.split("\n")).toHaveLength(202);
    }
  });
});
