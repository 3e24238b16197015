import type { RouteDefinition } from "../names/route.ts";

/** A route as its operator sees it. */
export interface RouteEntry {
  readonly definition: RouteDefinition;
  readonly source: "config" | "storage";
  /** Milliseconds since 1970; null for the configuration's. */
  readonly updatedAt: number | null;
  /** Why it is not in force; null where it is. */
  readonly problem: string | null;
}
