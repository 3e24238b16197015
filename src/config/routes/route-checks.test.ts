import { describe, expect, test } from "bun:test";
import { ConfigError, formatProblem } from "../problem.ts";
import { readConfigText } from "../file/read-config-file.ts";

const models = `providers: [{ id: openai, dialect: openai-chat, base_url: https://x/v1 }]
models:
  - { id: gpt-5-mini, targets: [{ provider: openai, model: gpt-5-mini }] }
  - { id: claude-haiku, targets: [{ provider: openai, model: haiku }] }
  - { id: "openai/*", targets: [{ provider: openai, model: "*" }] }
`;

function read(text: string) {
  return readConfigText(text, "t.yaml", {}, null);
}

/** All problems, without their positions. */
function problemsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((problem) => formatProblem(problem).replace(/^\S+ /, ""));
    throw error;
  }
  return [];
}

const routes = (...lines: string[]) => `${models}routes:\n${lines.map((line) => `  - ${line}\n`).join("")}`;

/** A chain of aliases, the last of which refers to a model. */
function chainOf(length: number): string {
  const leadsTo = (step: number) => (step === length - 1 ? "gpt-5-mini" : `a${step + 1}`);
  return routes(...Array.from({ length }, (_, step) => `{ id: a${step}, alias: ${leadsTo(step)} }`));
}

describe("valid routes", () => {
  test("aliases refer to models, names that match a wildcard, policies and other aliases, in any order", () => {
    const config = read(
      routes(
        "{ id: fastest, alias: fast }",
        "{ id: fast, alias: gpt-5-mini }",
        "{ id: any, alias: openai/gpt-6/preview }",
        "{ id: safe, alias: resilient }",
        "{ id: resilient, targets: [fast, { model: claude-haiku, weight: 3 }, openai/o5] }",
      ),
    );
    expect(config.routes[0]).toEqual({ kind: "alias", id: "fastest", leadsTo: "fast" });
    expect(config.routes[4]).toMatchObject({
      strategy: "priority",
      members: [
        { model: "fast", weight: 1 },
        { model: "claude-haiku", weight: 3 },
        { model: "openai/o5", weight: 1 },
      ],
    });
  });

  test("an alias may refer to auto if it is enabled, and to the sandbox's models if it is enabled", () => {
    expect(read(`${routes("{ id: best, alias: auto }")}auto: true\n`).routes).toHaveLength(1);
    expect(read("routes: [{ id: fast, alias: sandbox-chat }]").routes).toHaveLength(1);
  });

  test("a field with a null value counts as absent", () => {
    expect(problemsOf(routes("{ id: fast, alias: gpt-5-mini, targets: , strategy: }"))).toEqual([]);
  });

  test("a target of a wildcard model may contain a star", () => {
    const config = read(models.replace('model: "*"', 'model: "vendor/*:latest"'));
    expect(config.models[2]?.targets[0]?.model).toBe("vendor/*:latest");
  });

  test("a chain may be 32 aliases long", () => {
    expect(read(chainOf(32)).routes).toHaveLength(32);
  });
});

describe("invalid routes", () => {
  test.each([
    [["{ id: a }"], "routes[0]: found neither 'alias' nor 'targets'; allowed: either 'alias'"],
    [
      ["{ id: a, alias: gpt-5-mini, targets: [gpt-5-mini] }"],
      "routes[0].alias: found both 'alias' and 'targets'; allowed: either 'alias'",
    ],
    [
      ["{ id: a, alias: gpt-5-mini, strategy: weighted }"],
      "routes[0].strategy: found 'strategy' in an alias; allowed: only 'alias'",
    ],
    [["{ id: gpt-5-mini, alias: claude-haiku }"], "routes[0].id: Duplicate route id 'gpt-5-mini' (models[0])."],
    [
      ["{ id: a, alias: gpt-5-mini }", "{ id: a, targets: [gpt-5-mini] }"],
      "routes[1].id: Duplicate route id 'a' (routes[0]).",
    ],
    [
      ["{ id: a, alias: gpt-5-mni }"],
      'routes[0].alias: found an unknown name "gpt-5-mni" (did you mean "gpt-5-mini"?); allowed: a model, a name that',
    ],
    [["{ id: a, alias: openai/ }"], 'routes[0].alias: found an unknown name "openai/"'],
    [
      ["{ id: a, alias: auto }"],
      "allowed: a model, a name that matches a wildcard model, or another route; 'auto: true'",
    ],
    [
      ["{ id: a, alias: a }"],
      "routes[0].alias: found a circular reference: a -> a; allowed: a name that resolves to a model",
    ],
    [
      ["{ id: p, targets: [nothing] }"],
      'routes[0].targets[0]: found an unknown name "nothing"; allowed: a model, a name that',
    ],
    [
      ["{ id: p, targets: [gpt-5-mini] }", "{ id: q, targets: [claude-haiku, { model: p }] }"],
      'routes[1].targets[1].model: found the policy "p"; allowed: a model, a name that matches a wildcard model, or an alias',
    ],
    [
      ["{ id: p, targets: [gpt-5-mini] }", "{ id: a, alias: p }", "{ id: q, targets: [a] }"],
      'routes[2].targets[0]: found "a", which resolves to the policy "p"',
    ],
    [
      ["{ id: p, targets: [gpt-5-mini, claude-haiku, gpt-5-mini] }"],
      'routes[0].targets[2]: found a duplicate of the model "gpt-5-mini"; allowed: each model once',
    ],
    [
      ["{ id: a, alias: gpt-5-mini }", "{ id: p, targets: [gpt-5-mini, a] }"],
      'routes[1].targets[1]: found "a", which resolves to a duplicate of the model "gpt-5-mini"',
    ],
    [["{ id: p, targets: [gpt-5-mini], strategy: random }"], 'routes[0].strategy: found "random"; allowed: one of'],
    [["{ id: p, targets: [openai/*] }"], "routes[0].targets[0]"],
  ])("%j is refused", (lines, expected) => {
    expect(problemsOf(routes(...lines))).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });

  test("a problem is reported once, at its cause", () => {
    const lines = [
      "{ id: way-in, alias: a }",
      "{ id: a, alias: b }",
      "{ id: b, alias: c }",
      "{ id: c, alias: a }",
      "{ id: p, targets: [b, far] }",
      "{ id: far, alias: near }",
      "{ id: near, alias: nowhere }",
    ];
    const [circle, unknown, ...others] = problemsOf(routes(...lines));
    expect(others).toEqual([]);
    expect(circle).toStartWith("routes[1].alias: found a circular reference: a -> b -> c -> a; allowed: ");
    expect(unknown).toStartWith('routes[6].alias: found an unknown name "nowhere"; allowed: ');
  });

  test("a chain of ten thousand aliases is reported once, without delay", () => {
    expect(problemsOf(chainOf(10_000))).toEqual([
      "routes[9967].alias: found a chain of 33 aliases; allowed: a chain of at most 32 aliases",
    ]);
  });

  test("auto is a reserved id if it is enabled", () => {
    expect(problemsOf(`${routes("{ id: auto, alias: gpt-5-mini }")}auto: true\n`)).toEqual([
      "routes[0].id: Duplicate route id 'auto' (the built-in policy).",
    ]);
    expect(problemsOf(routes("{ id: auto, alias: gpt-5-mini }"))).toEqual([]);
  });

  test("the sandbox's models are reserved ids if it is enabled", () => {
    expect(problemsOf("routes: [{ id: sandbox-chat, alias: sandbox-reasoning }]")).toEqual([
      "routes[0].id: Duplicate route id 'sandbox-chat' (the built-in sandbox).",
    ]);
  });

  test("routes are checked even if the file has other problems", () => {
    expect(problemsOf(`server: { port: -1 }\n${routes("{ id: a, alias: nowhere, requires: 1 }")}`)).toHaveLength(4);
  });

  test("a name that looks like a credential is not shown", () => {
    const problems = problemsOf(routes("{ id: a, alias: sk-secret-1 }", "{ id: sk-secret-2, alias: sk-secret-2 }"));
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain("secret");
  });
});

describe("wildcards and keys", () => {
  test.each([
    [
      models.replace("model: haiku", 'model: "haiku-*"'),
      "models[1].targets[0].model: found a wildcard (*); allowed: * only if the id of the model ends with /*",
    ],
    [
      models.replace('model: "*"', 'model: "*/*"'),
      "models[2].targets[0].model: found 2 wildcards (*); allowed: at most one *",
    ],
    [models.replace('"openai/*"', '"open*"'), 'models[2].id: found "open*"; allowed: a name, or a prefix that ends'],
    [
      models.replace("/v1 }", "/v1, api_key: one, api_keys: [two] }"),
      "providers[0].api_keys: found both 'api_key' and 'api_keys'; allowed: 'api_key' for one key",
    ],
  ])("%j is refused", (text, expected) => {
    expect(problemsOf(text)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });
});
