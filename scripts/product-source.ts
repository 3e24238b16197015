import { Glob } from "bun";

const folder = new URL("../src/", import.meta.url).pathname;

/** The text of all product code, without tests, their support code and the sandbox. @param except files and folders of `src/` */
export async function productSource({ except }: { readonly except: readonly string[] }): Promise<string> {
  const paths = [...new Glob("**/*.ts").scanSync(folder)].filter(
    (path) =>
      !/\.(test|testkit)\.ts$/.test(path) &&
      !path.startsWith("sandbox/") &&
      !except.some((name) => path === name || path.startsWith(`${name}/`)),
  );
  const texts = await Promise.all(paths.map((path) => Bun.file(folder + path).text()));
  return texts.join("\n");
}
