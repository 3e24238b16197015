import type { VendorKeyHeader } from "../access/credentials.ts";
import type { ErrorFormat, Operation, OperationInput } from "../operations/operation.ts";
import type { ProviderHalves } from "../operations/provider-halves.ts";
import type { DialectName, ProviderError, UpstreamRequest } from "./exchange.ts";
import type { ModelList } from "./model-list.ts";

/** A request whose credential is to be worked into it. */
export interface UnsignedRequest extends UpstreamRequest {
  readonly url: string;
}

/** How a call to a provider carries its credential. */
export type Signing =
  | { readonly in: "header"; readonly header: (credential: string) => readonly [name: string, value: string] }
  | { readonly in: "query"; readonly parameter: string }
  /** The headers depend on the whole request, as those of AWS do. */
  | {
      readonly in: "request";
      readonly sign: (request: UnsignedRequest, credential: string) => Readonly<Record<string, string>>;
    };

/** A vendor's wire format: all that the gateway knows of it hangs on this. One folder, one descriptor. */
export interface Dialect {
  /** As the configuration names it: `openai-chat`. */
  readonly name: string;
  /** For the docs: `OpenAI Chat Completions`. */
  readonly title: string;
  /** The vendor's own address; null if there is no such thing. */
  readonly defaultBaseUrl: string | null;
  readonly signing: Signing;
  /** How a provider is asked which models it has; null if it cannot be asked for them. */
  readonly modelList: ModelList | null;
  /** The header in which callers of this dialect send their key; null if there is no header but `Authorization`. */
  readonly keyHeader: VendorKeyHeader | null;
  /** The format of its callers' errors. */
  readonly errorFormat: ErrorFormat;
  /**
   * How the vendor's clients are recognised at paths that are no operation's: by the beginnings of paths, or by a header at
   * the paths that clients of several vendors ask for (`/v1/models`). Absent if they are answered as OpenAI's are.
   */
  readonly clients?: { readonly paths: readonly string[]; readonly header: string };
  /** Reads the body of an error answer; null if it is not in this dialect's form. */
  readonly readError: (body: unknown) => ProviderError | null;
  /** The caller half: the operations that are served. */
  readonly operations: readonly Operation<OperationInput>[];
  /** The provider half, by kind of operation. */
  readonly provides: ProviderHalves;
}

/** The dialects that a gateway knows. */
export interface Dialects {
  readonly all: readonly Dialect[];
  /** Throws an `Error` for a name that none of them has. */
  find(name: DialectName): Dialect;
}

/** Throws an `Error` if two of them have one name. */
export function createDialects(all: readonly Dialect[]): Dialects {
  const byName = new Map(all.map((dialect) => [dialect.name, dialect]));
  if (byName.size < all.length) throw new Error("Two dialects have the same name.");
  return {
    all,
    find(name) {
      const dialect = byName.get(name);
      if (!dialect) throw new Error(`There is no dialect '${name}'.`);
      return dialect;
    },
  };
}
