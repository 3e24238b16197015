import type { DomainRules } from "./domains/domain-rules.ts";
import type { JsonObject } from "../json/values.ts";
import type { SearchDepth, SearchType, TimeRange } from "./query.ts";

/** A search as a caller asks for it, checked. What any one provider can do of it is decided later. */
export interface SearchRequest {
  /** As the caller wrote it. */
  readonly query: string;
  readonly type: SearchType;
  /** As the caller wrote them; null if it did not. */
  readonly region: string | null;
  readonly language: string | null;
  readonly timeRange: TimeRange | null;
  readonly maxResults: number;
  readonly depth: SearchDepth;
  readonly includeAnswer: boolean;
  readonly includeRawContent: boolean;
  readonly includeProviderPayload: boolean;
  /** What results must keep to: the caller's lists, within those of its key. */
  readonly rules: DomainRules;
  /** Options by the name of a provider. */
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
  /** When it arrived, in milliseconds since 1970. */
  readonly now: number;
  /** Its answer was looked for among those that are kept, and is kept itself. */
  readonly cache?: "miss";
}
