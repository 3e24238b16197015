import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";

const root = new URL("..", import.meta.url).pathname;
const pages = ["*.md", "docs/**/*.md", "bench/**/*.md", "soak/**/*.md", "clients/*.md", "src/**/*.md"].flatMap(
  (pattern) => [...new Glob(pattern).scanSync(root)].sort(),
);

const read = (path: string) => Bun.file(join(root, path)).text();
/** Lines without their indentation, which differs between a file and a quotation. */
const unindented = (text: string) => text.replaceAll(/^[ \t]+/gm, "").trim();

/** The code blocks of a page whose first line names a file: ```ts path/to/file.ts */
function quotations(page: string): { readonly file: string; readonly code: string }[] {
  const blocks = page.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm);
  return [...blocks].map(([, file = "", code = ""]) => ({ file, code }));
}

describe.each(pages)("%s", (page) => {
  test("quotes code as it is in the files", async () => {
    for (const { file, code } of quotations(await read(page))) {
      expect(unindented(await read(file))).toContain(unindented(code));
    }
  });

  test("links to files that exist", async () => {
    const prose = (await read(page)).replaceAll(/`[^`]*`/g, "");
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test("names files that exist", async () => {
    const paths = (await read(page)).match(/\b(src|test|bench|scripts|soak|docs)\/[\w./-]+\.(ts|md|yaml)\b/g) ?? [];
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

test("docs/adding-an-operation.md quotes every operation of the toy vendor", async () => {
  const quoted = new Set(quotations(await read("docs/adding-an-operation.md")).map(({ file }) => file));
  for (const name of ["dialect", "reverse", "measure-file", "draw", "job", "toy-operation"]) {
    expect(quoted).toContain(`test/toy/${name}.ts`);
  }
});

test("the list of dependencies in docs/decisions/0002-dependencies.md is that of package.json", async () => {
  const { dependencies, devDependencies } = (await Bun.file(join(root, "package.json")).json()) as Record<
    string,
    object
  >;
  const text = await read("docs/decisions/0002-dependencies.md");
  const [table = "", rest = ""] = text.split("What only development needs:");
  const named = [...table.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = ""]) => cell.match(/[\w@/-]+/g) ?? []);
  expect(named.sort()).toEqual(Object.keys(dependencies ?? {}).sort());
  for (const name of Object.keys(devDependencies ?? {})) expect(rest).toContain(`\`${name}\``);
});
