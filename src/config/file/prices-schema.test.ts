import { describe, expect, test } from "bun:test";
import { ConfigError } from "../problem.ts";
import { readConfigText } from "./read-config-file.ts";

const provider = "providers: [{ id: openai, dialect: openai-chat, api_key: k }]";
const model = (fields: string) =>
  `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: m }], ${fields} }]`;
const read = (text: string) => readConfigText(text, "t.yaml", {}, null);
const pricesOf = (fields: string) => read(model(fields)).models[0]?.prices;

/** The problems of a text, without their positions. */
function problemsOf(text: string): string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, found, allowed }) => `${path}: ${found}: ${allowed}`);
  }
}

describe("prices of a model", () => {
  test("are written as the documentation says", () => {
    expect(
      pricesOf(
        `prices: { input: 1.25, output: 10, request: 0.001, tiers: [{ above_input_tokens: 200000, input: 2.5, output: 15 }], service_tiers: { flex: { input: 0.6, output: 5 } }, windows: [{ from: "16:30", to: "00:30", time_zone: UTC, input: 0.6 }], image: { "1024x1024": 0.04, "high/1024x1024": 0.167, default: 0.04 }, video_second: { "1280x720": 0.1, default: 0.1 } }, cost: provider`,
      ),
    ).toEqual({
      input: 1_250_000,
      output: 10_000_000,
      request: 1_000,
      tiers: [{ above_input_tokens: 200_000, input: 2_500_000, output: 15_000_000 }],
      service_tiers: { flex: { input: 600_000, output: 5_000_000 } },
      windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", input: 600_000 }],
      image: { "1024x1024": 40_000, "high/1024x1024": 167_000, default: 40_000 },
      video_second: { "1280x720": 100_000, default: 100_000 },
      cost: "provider",
    });
  });

  test("have a price for every dimension, up to 12 decimals", () => {
    expect(
      pricesOf(
        "prices: { cache_write_5m: 3.75, cache_write_1h: 6, cache_miss: 0, input_audio: 32, output_image: 40, image: 0.04, second: 0.00003083, character: '15.000000000001', search_unit: 0.01 }",
      ),
    ).toEqual({
      cache_write_5m: 3_750_000,
      cache_write_1h: 6_000_000,
      cache_miss: 0,
      input_audio: 32_000_000,
      output_image: 40_000_000,
      image: 40_000,
      second: "0.00003083",
      character: "15.000000000001",
      web_search: 10_000,
    });
  });

  test("may be those of one target, and of the provider alone", () => {
    const text = `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: a, prices: { input: 1 } }, { provider: openai, model: b, cost: provider }] }]`;
    const [first] = read(text).models;
    expect(first?.prices).toBeNull();
    expect(first?.targets).toEqual([
      { provider: "openai", model: "a", weight: 1, prices: { input: 1_000_000 } },
      { provider: "openai", model: "b", weight: 1, prices: { cost: "provider" } },
    ]);
  });

  test("a window has UTC, and may end at midnight", () => {
    expect(pricesOf(`prices: { windows: [{ from: "08:00", to: "24:00", input: 1 }] }`)).toEqual({
      windows: [{ from: "08:00", to: "24:00", time_zone: "UTC", input: 1_000_000 }],
    });
  });

  test("the table that is bundled and unpriced models are chosen apart", () => {
    expect(read(provider)).toMatchObject({ prices: { bundled: true }, billing: { unpriced: "serve" } });
    const text = `${provider}\nprices: { bundled: false }\nbilling: { unpriced: refuse }`;
    expect(read(text)).toMatchObject({ prices: { bundled: false }, billing: { unpriced: "refuse" } });
  });
});

describe("a mistake in prices", () => {
  test.each([
    ["prices: { input: -0.5 }", "prices.input: -0.5: a price in USD"],
    ["prices: { input: .nan }", "prices.input: NaN: a price in USD"],
    ["prices: { input: .inf }", "prices.input: Infinity: a price in USD"],
    [
      "prices: { input: '0.0000000000001' }",
      'prices.input: "0.0000000000001": a price in USD from 0 to 1000000 with at most 12 decimals',
    ],
    ["prices: { input: 1000000.5 }", "prices.input: 1000000.5: a price in USD from 0 to 1000000"],
    ["prices: { input: '9007199254740993' }", "prices.input: "],
    ["prices: { input: '9008.0000001' }", "prices.input: "],
    ["prices: { input: 'EUR 1' }", 'prices.input: "EUR 1": a price in USD'],
    ["prices: { input: 1€ }", "prices.input: "],
    ["prices: { inputs: 1 }", 'prices.inputs: an unknown name "inputs" (did you mean "input"?)'],
    ["prices: { input: { default: 1 } }", "prices.input: a map: a price in USD"],
    ["prices: { tiers: [{ input: 1 }] }", "prices.tiers[0].above_input_tokens: nothing: a whole number of tokens"],
    ["prices: { tiers: [{ above_input_tokens: 1.5 }] }", "prices.tiers[0].above_input_tokens: 1.5: a whole number"],
    [
      "prices: { tiers: [{ above_input_tokens: 1 }, { above_input_tokens: 1 }] }",
      "prices.tiers[1].above_input_tokens: 1: each threshold once",
    ],
    ["prices: { tiers: [{ above_input_tokens: 1, output: x }] }", 'prices.tiers[0].output: "x": a price in USD'],
    ["prices: { tiers: { above_input_tokens: 1 } }", "prices.tiers: a map: a list of at most"],
    ["prices: { service_tiers: { flex: { inptu: 1 } } }", "prices.service_tiers.flex.inptu: an unknown name"],
    ["prices: { service_tiers: { 'a b': { input: 1 } } }", "prices.service_tiers"],
    ["prices: { service_tiers: { flex: 1 } }", "prices.service_tiers.flex: 1: a map with"],
    [
      `prices: { windows: [{ from: "16:30", to: "16:30", input: 1 }] }`,
      `prices.windows[0].to: "16:30": another time than 'from'`,
    ],
    [
      `prices: { windows: [{ from: "00:00", to: "24:00", input: 1 }] }`,
      `prices.windows[0].to: "24:00": another time than 'from'`,
    ],
    [
      `prices: { windows: [{ from: "25:00", to: "16:30", input: 1 }] }`,
      `prices.windows[0].from: "25:00": a time of day from 00:00 to 23:59`,
    ],
    ["prices: { windows: [{ from: 16:30, to: 24:30, input: 1 }] }", "prices.windows[0].to: "],
    [
      `prices: { windows: [{ from: "16:30", to: "18:00", time_zone: Mars/Olympus, input: 1 }] }`,
      `prices.windows[0].time_zone: "Mars/Olympus": the IANA name of a time zone`,
    ],
    [
      `prices: { windows: [{ from: "16:30", to: "00:30" }, { from: "23:00", to: "01:00" }] }`,
      `prices.windows[1].from: "23:00": a time outside of windows[0]`,
    ],
    ["prices: { image: { } }", "prices.image: a map: 1 to 100 sizes"],
    ["prices: { image: { 1024x1024: -1 } }", "prices.image.1024x1024: -1: a price in USD"],
    ["prices: { image: { 'a b': 1 } }", "prices.image"],
    ["prices: { image: big }", 'prices.image: "big": a price in USD'],
    ["prices: { web_search: 1, search_unit: 1 }", "prices.search_unit: 1: web_search or search_unit, not both"],
    ["cost: me", 'cost: "me": one of provider'],
    ["prices: 1", "prices: 1: a map with"],
  ])("%s is refused by name", (fields, problem) => {
    expect(problemsOf(model(fields))).toContainEqual(expect.stringContaining(`models[0].${problem}`));
  });

  test("elsewhere is refused by name too", () => {
    expect(problemsOf(`${provider}\nprices: { bundled: maybe }`)).toEqual(['prices.bundled: "maybe": true or false']);
    expect(problemsOf(`${provider}\nbilling: { unpriced: charge }`)).toEqual([
      'billing.unpriced: "charge": one of serve, refuse',
    ]);
    const target = `${provider}\nmodels: [{ id: m, targets: [{ provider: openai, model: a, prices: { input: -1 } }] }]`;
    expect(problemsOf(target)).toEqual([expect.stringContaining("models[0].targets[0].prices.input: -1")]);
    const twice = model("prices: { input: 1, input: 2 }");
    expect(problemsOf(twice)).toEqual([expect.stringContaining("models[0].prices.input: a duplicate name")]);
  });
});
