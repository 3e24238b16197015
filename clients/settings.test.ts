import { describe, expect, test } from "bun:test";
import { Glob, TOML, YAML } from "bun";
import { exportedVariables, readSettings, settingsBlocks } from "./settings.ts";

const page = await Bun.file(`${import.meta.dir}/../docs/clients.md`).text();
const blocks = settingsBlocks(page);
const sections = page.split(/^(?=## )/m).slice(1);
const sectionOf = (heading: string) => sections.find((section) => section.startsWith(`## ${heading}\n`)) ?? "";

const sources = await Promise.all(
  [...new Glob("*/**/client.ts").scanSync(import.meta.dir)].map((file) =>
    Bun.file(`${import.meta.dir}/${file}`).text(),
  ),
);

describe("docs/clients.md", () => {
  const names = blocks.map(({ heading, label }) => [heading, label] as const);

  test.each(names)("%s, %s: is run, or says that it is not", (heading, label) => {
    const isRun = sources.some((source) => [heading, label].every((name) => source.includes(`"${name}"`)));
    expect(isRun).toBe(!/\bNot run\b/.test(sectionOf(heading)));
  });

  test("has one block for each heading and label", () => {
    const joined = names.map((name) => name.join(": "));
    expect(joined).toEqual([...new Set(joined)]);
  });

  test.each([
    ["json", JSON.parse],
    ["toml", TOML.parse],
    ["yaml", YAML.parse],
  ])("has valid %s", (language, parse) => {
    const texts = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
      ([, text = ""]) => text,
    );
    expect(texts).not.toEqual([]);
    for (const text of texts) expect(parse(text)).toBeObject();
  });

  test("names each example's key and address as the suite replaces them", async () => {
    const values = { url: "http://10.0.0.1:1", key: "sk-tg-other", model: "other" };
    for (const { heading, label } of blocks) {
      const text = await readSettings(heading, label, values);
      expect(text).not.toMatch(/127\.0\.0\.1|localhost|your-key|gpt-5-mini/);
    }
  });
});

test("a block is for the file that the line before it ends with, or else of its language", () => {
  const markdown = [
    "# Page",
    "## One",
    "`~/a.json`:",
    "",
    "```json",
    "{}",
    "```",
    "",
    "```sh",
    "x",
    "```",
    "## Two",
    "```",
    "y",
  ];
  expect(settingsBlocks([...markdown, "```"].join("\n"))).toEqual([
    { heading: "One", label: "~/a.json", text: "{}\n" },
    { heading: "One", label: "sh", text: "x\n" },
    { heading: "Two", label: "", text: "y\n" },
  ]);
});

test("the variables that a shell would export", () => {
  const shell = 'export A=1 # one\nexport B="two words"\nC=3\nexport D=\n';
  expect(exportedVariables(shell)).toEqual({ A: "1", B: "two words", D: "" });
});
