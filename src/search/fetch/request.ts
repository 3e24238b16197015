import type { DomainSet } from "../domains/domain-rules.ts";
import type { FetchFormat } from "./page-fetcher.ts";
import type { CheckedUrl } from "./public-url.ts";

/** One address that a caller asks for. */
export interface AskedUrl {
  /** As the caller wrote it. */
  readonly text: string;
  readonly checked: CheckedUrl;
}

/** Pages as a caller asks for them, checked. */
export interface FetchRequest {
  /** In the caller's order, with those that it names twice. */
  readonly asked: readonly AskedUrl[];
  /** What providers may be asked for: each address once. */
  readonly urls: readonly string[];
  readonly format: FetchFormat;
  /** The domains that the caller's key may fetch from; null: all. */
  readonly domains: DomainSet | null;
}
