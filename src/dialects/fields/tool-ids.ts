import { createHash } from "node:crypto";

/** The ids that a vendor accepts. */
export interface ToolIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly prefix: string;
}

/**
 * The id as this vendor takes it: unchanged if it fits, else made from its hash. The same id always gives the same,
 * so a call and its result stay together however often and wherever they are sent.
 */
export function fitToolId(id: string, rule: ToolIdRule): string {
  if (id.length > 0 && id.length <= rule.maxLength && rule.pattern.test(id)) return id;
  return rule.prefix + createHash("sha256").update(id).digest("hex").slice(0, 24);
}
