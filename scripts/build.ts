/**
 * Builds `build/`, which `bin/tollgate` starts instead of the sources while it is newer than all of them: a few files are
 * read and compiled in half the time of several hundred. npm runs it after each install. Another folder can be named.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BunPlugin } from "bun";

const root = join(import.meta.dir, "..");
const outdir = process.argv[2] ?? join(root, "build");

/** The program, and each file that it starts in a thread or process of its own. */
const entrypoints = [
  "src/main.ts",
  "src/metering/token-counter-thread.ts",
  "src/storage/sqlite/checkpoint-worker.ts",
  "src/storage/audit/audit-thread.ts",
  "src/storage/audit/audit-process.ts",
  "src/bodies/body-thread.ts",
  "src/config/prices/read-prices-thread.ts",
  "src/endpoints/openapi/document-thread.ts",
  "src/dialects/transcript/transcript-thread.ts",
];

/** How a source names a file beside it that it starts as a thread or reads. */
const fileBeside = /new URL\("\.\/([\w.-]+)", import\.meta\.url\)/g;

/** What a source names as beside it stands beside all others once it is built: a thread's file is compiled, any other copied. */
const filesBeside: BunPlugin = {
  name: "files beside",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source.replaceAll(fileBeside, (naming, name: string) => {
        if (!name.endsWith(".ts")) {
          copyFileSync(join(dirname(path), name), join(outdir, name));
          return naming;
        }
        if (!entrypoints.some((entry) => basename(entry) === name))
          throw new Error(`${name} is no entry of the build.`);
        return naming.replace(".ts", ".js");
      });
      return { contents, loader: "ts" };
    });
  },
};

for (const name of existsSync(outdir) ? readdirSync(outdir) : []) {
  if (name !== "console") rmSync(join(outdir, name), { recursive: true, force: true });
}
mkdirSync(outdir, { recursive: true });
await Bun.build({
  entrypoints: entrypoints.map((path) => join(root, path)),
  outdir,
  target: "bun",
  splitting: true,
  naming: { entry: "[name].[ext]" },
  minify: { syntax: true, whitespace: true },
  sourcemap: "linked",
  // Loaded only if they are used, from node_modules. The library of sign-in would bring all of Kysely into the start.
  external: ["pg", "pino-pretty", "better-auth", "better-auth/plugins/generic-oauth", "@better-auth/passkey"],
  plugins: [filesBeside],
});

// An installation without development packages keeps the console that it came with.
if (hasPackage("@tailwindcss/node") && hasPackage("react")) {
  const { buildConsole } = await import("./build-console.ts");
  await buildConsole(join(outdir, "console"));
}

function hasPackage(name: string): boolean {
  try {
    return Bun.resolveSync(name, root) !== "";
  } catch {
    return false;
  }
}
