/**
 * Writes `docs/pricing.md` from the charging rules and from examples that are charged by the gateway's own code. Run it
 * after changing either; a test holds the page against the code.
 */
import { buildPrices } from "../src/billing/prices/build-prices.ts";
import { charge } from "../src/billing/charge.ts";
import { chargingRules, type ChargingRuleName, type Pays } from "../src/billing/charging-rules.ts";
import { fallbacks } from "../src/billing/prices/price-of.ts";
import type { Charge } from "../src/billing/prices/prices.ts";
import { pricingUnits } from "../src/billing/prices/pricing-units.ts";
import { dimensionNames, listDimensions } from "../src/dimensions.ts";
import { markdownTable } from "./markdown-table.ts";
import { type ChargingExample, chargingExamples, examplePrices, priceExamples } from "./pricing-page/examples.ts";

export const pricingFile = new URL("../docs/pricing.md", import.meta.url);

const meanings: Readonly<Record<Pays, string>> = {
  usage: "its usage",
  nothing: "nothing",
  free: "nothing: free",
  later: "once the job has ended",
};

export function pricingPage(): string {
  // `Object.keys` forgets which names an object has.
  const names = Object.keys(chargingRules) as ChargingRuleName[];
  const summary = names.map((name) => [chargingRules[name].title, meanings[chargingRules[name].pays]]);
  return [
    introduction,
    markdownTable(
      ["name", "what one price buys", "without a price of its own it costs what this costs"],
      dimensionNames.map((name) => {
        const others = fallbacks[name].slice(1).map((other) => `\`${other}\``);
        return [`\`${name}\``, `\`${pricingUnits[name].name}\``, others.join(", else ")];
      }),
    ),
    conditions,
    ...priceExamples.map((example) => `### ${example.title}\n\n${worked(example)}`),
    versions,
    markdownTable(["what happened", "the caller pays"], summary),
    "The examples have these prices if they name no others: 1.25 USD for a million tokens of input, 0.125 for those that\na cache gave, and 10 for a million of output.",
    ...names.map((name) => ruleText(name)),
  ]
    .map((part) => part.trim())
    .join("\n\n")
    .concat("\n");
}

function ruleText(name: ChargingRuleName): string {
  const { title, text, pays } = chargingRules[name];
  const example = chargingExamples[name];
  if (pays === "usage" || pays === "later") return `### ${title}\n\n${text}\n\n${worked(example)}`;
  return `### ${title}\n\n${text}\n\nExample: ${example.story} Amount: 0.`;
}

/** An example with its lines and their sum. */
function worked({ story, used, prices = examplePrices, facts = {} }: ChargingExample): string {
  const usage = {
    dimensions: listDimensions(used),
    measurement: { input: "provider", output: "provider" },
  } as const;
  const all = { at: Date.UTC(2026, 10, 22, 12), serviceTier: null, providerCost: null, ...facts };
  return `Example: ${story}\n\n${linesTable(charge(usage, buildPrices(prices), 1, all))}`;
}

function linesTable({ lineItems, amountMicrousd }: Charge): string {
  const rows = lineItems.map((line) => [
    `\`${line.dimension}\``,
    number(line.quantity),
    `${number(line.unitMicrousd)} for ${line.unitSize === 1 ? `1 ${line.unit}` : number(line.unitSize)}`,
    exactText(line.quantity, line.unitMicrousd, line.unitSize),
    number(line.amountMicrousd),
  ]);
  const sum = ["**amount**", "", "", "", `**${number(amountMicrousd)}**`];
  return markdownTable(["line", "quantity", "micro-USD", "exactly", "rounded half up"], [...rows, sum]);
}

/** quantity x price / unit size with all its decimals. The examples have no more than six. */
function exactText(quantity: number, unitMicrousd: number, unitSize: number): string {
  const exact = (quantity * unitMicrousd) / unitSize;
  return exact.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function number(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 12 });
}

const introduction = `# Pricing

What a request costs is usage x price: one line for each kind of thing it used, each rounded by itself, and their sum. The record
of the request has the lines and the version of the price list.

Prices come from three places. The first that has a price for a model decides, with all of that price:

1. **The configuration**: \`prices\` of a model, or of one of its targets. A pattern such as \`openai/*\` has prices for all of its
   models. \`prices: {}\` says that there is none.
2. **An imported price map**: \`tollgate prices import FILE --format litellm|models.dev\`. It is looked for under the model's id,
   \`provider/model\` of the target, and the provider's name for the model.
3. **The bundled table**, made from [@pydantic/genai-prices](https://github.com/pydantic/genai-prices) (MIT licence). The vendor is
   told by the provider's address, else by its id, else by the name of the model if it is one of OpenAI, Anthropic, Google or xAI.
   \`prices: { bundled: false }\` in the configuration turns it off.

\`tollgate prices show\` names the source and the date of each price.

\`\`\`yaml
models:
  - id: everything
    targets: [{ provider: openai, model: gpt-5 }]
    prices:
      input: 1.25
      cache_read: 0.125
      output: 10
      request: 0.001
      tiers: [{ above_input_tokens: 200000, input: 2.5, output: 15 }]
      service_tiers: { flex: { input: 0.6, output: 5 } }
      windows: [{ from: "16:30", to: "00:30", time_zone: UTC, input: 0.6 }]
      image: { "1024x1024": 0.04, "high/1024x1024": 0.167, default: 0.04 }
      video_second: { "1280x720": 0.1, default: 0.1 }
  - id: passed-through
    targets: [{ provider: openrouter, model: some/model, cost: provider }]

prices: { bundled: true } # the bundled table prices models that have no other price
billing: { unpriced: serve } # refuse: a request to a model without a price is a 400 (model_unpriced)
\`\`\`

Prices are in USD, from 0 to 1,000,000 for one unit, with at most 12 decimals. They are read digit by digit: no float touches an
amount. A price that is finer than a millionth of a USD is kept as the price of a million units, so that it is exact too.`;

const conditions = `\`search_unit\` is another name for \`web_search\`. A dimension without any price makes a line of 0 and the charge \`unpriced\`.

\`input_audio\`, \`input_image\`, \`output_audio\` and \`output_image\` are dimensions of the record if the model has a price for
them; otherwise these tokens are part of input and output. Cached ones among them cost what cached text costs.

## Which price applies

For each dimension the first of these that names it:

1. the service tier's price for this size, then the service tier's price. The service tier is the word that the answer says:
   \`service_tier\`, or \`trafficType\` at Gemini;
2. the tier by size with the highest threshold that the input is above. All input counts, cached too: 200,000 tokens are the base
   price of a threshold of 200,000, and 200,001 the tier's. The whole request is priced so, its output too;
3. the window in which the request began, by the clock of its time zone. It holds its first minute and not its last, and may cross
   midnight. When a clock is set back, both of the hours that it shows are within; a time that a clock skips never comes. Windows of
   one time zone must not overlap; of several time zones, the first that holds the time decides;
4. the base price.

An image or a second of video is looked for by \`quality/size\`, then by size, then \`default\`.

With \`cost: provider\` (of a model or a target) the amount is what the provider reports as its cost within its usage: \`cost\`
(OpenRouter), \`cost.total_cost\` (Perplexity), \`cost_in_usd_ticks\` (xAI). Prices beside it are for answers that report none.

A line is quantity x price / unit size in micro-USD (millionths of a USD), rounded half up, and the amount is the sum of the lines.`;

const versions = `## Versions

Every change makes a new version: immutable, with its time, author and note. A start makes one only if the configured prices or the
version of the bundled table have changed since the last start. Running gateways take up a change within a second. A request is
charged by the version in force when it was planned, and a job by the one under which it began. Gateways that share a storage share
the price list: give them the same \`prices\`.

${markdownTable(
  ["command", "does"],
  [
    ["`tollgate prices list`", "the versions, with who made them, when and why"],
    ["`tollgate prices show [MODEL] [--at N]`", "the prices of the configured models, or of one, with their sources"],
    ["`tollgate prices diff A B`", "what differs between two versions"],
    [
      "`tollgate prices import FILE --format F`",
      "puts a price map in place of the one imported before; a missing, negative or inexact price is refused",
    ],
    [
      "`tollgate prices activate N`",
      "puts a version in force again; a restart leaves it there until the configured prices change",
    ],
    ["`tollgate prices rollback`", "puts the version before the one in force in force again"],
    [
      "`tollgate prices export [--at N]`",
      "the configured and imported prices of a version, as a configuration has them",
    ],
  ],
)}
Each has \`--json\`; those that change something have \`--note\` and \`--author\`. An import with \`--skip-invalid\` leaves out the models
concerned. Of LiteLLM's map, \`cache_creation_input_token_cost\` is the price of a cache write for 5 minutes (and of one whose lifetime
is not told), \`..._above_1hr\` of one for an hour, \`..._above_200k_tokens\` of a tier, and \`_batches\`, \`_priority\` and \`_flex\` of
the service tiers \`batch\`, \`priority\` and \`flex\`.

## The charging rules`;

if (import.meta.main) await Bun.write(pricingFile, pricingPage());
