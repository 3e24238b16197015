/**
 * Builds the console's browser side: `index.html` and `assets/NAME-HASH.EXT`, each asset with a gzipped copy beside it.
 * `scripts/build.ts` calls it; alone it writes to `build/console`, or the folder that is named.
 */
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";

const root = join(import.meta.dir, "..");
const web = join(root, "web");
const assetsUrl = "/console/assets/";

interface Asset {
  readonly name: string;
  readonly content: string;
}

/** Builds everything. @throws if a source has an error */
export async function buildConsole(outdir: string): Promise<void> {
  const assets = join(outdir, "assets");
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  const [scripts, style] = await Promise.all([buildScripts(), buildStyle()]);
  await Promise.all([...scripts, style].map((asset) => writeAsset(assets, asset)));
  const find = (name: string) => scripts.find((script) => script.name.startsWith(`${name}-`))?.name;
  await Bun.write(join(outdir, "index.html"), page(style.name, find("before-paint"), find("main")));
}

/** The theme is set before the first paint, by a script of its own that nothing waits for; the rest follows. */
async function buildScripts(): Promise<Asset[]> {
  const common = {
    target: "browser",
    minify: true,
    publicPath: assetsUrl,
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", development: false },
  } as const;
  const built = await Promise.all([
    Bun.build({ ...common, entrypoints: [join(web, "theme/before-paint.ts")], format: "iife" }),
    Bun.build({ ...common, entrypoints: [join(web, "main.tsx")], format: "esm", splitting: true }),
  ]);
  return Promise.all(
    built
      .flatMap(({ outputs }) => outputs)
      .map(async (output) => ({ name: basename(output.path), content: await output.text() })),
  );
}

async function buildStyle(): Promise<Asset> {
  const source = await Bun.file(join(web, "theme/console.css")).text();
  const compiler = await compile(source, { base: join(web, "theme"), onDependency: () => {} });
  const scanner = new Scanner({ sources: [{ base: web, pattern: "**/*.{ts,tsx}", negated: false }] });
  const { code } = optimize(compiler.build(scanner.scan()), { minify: true });
  return { name: `console-${Bun.hash(code).toString(36)}.css`, content: code };
}

async function writeAsset(folder: string, { name, content }: Asset): Promise<void> {
  const path = join(folder, name);
  await Promise.all([Bun.write(path, content), Bun.write(`${path}.gz`, Bun.gzipSync(content, { level: 9 }))]);
}

function page(style: string, theme: string | undefined, main: string | undefined): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tollgate</title>
<link rel="icon" href="data:,">
<script src="${assetsUrl}${theme}"></script>
<link rel="stylesheet" href="${assetsUrl}${style}">
<script type="module" src="${assetsUrl}${main}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;
}

if (import.meta.main) await buildConsole(process.argv[2] ?? join(root, "build/console"));
