import type * as Zlib from "node:zlib";

let loaded: typeof Zlib | null = null;

/** The module `node:zlib`, loaded at its first use: that takes some 10 ms, which no start should wait for. */
export function zlib(): typeof Zlib {
  return (loaded ??= process.getBuiltinModule("node:zlib"));
}
