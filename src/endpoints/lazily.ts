import type { Handler } from "./visit.ts";

/**
 * Handlers of a file that is loaded when one of them is first asked: the library of the schemas takes time to load, and a
 * gateway without operators never needs it.
 */
export function lazily<Name extends string>(load: () => Promise<Readonly<Record<Name, Handler>>>) {
  return (name: Name): Handler =>
    async (visit) =>
      (await load())[name](visit);
}
