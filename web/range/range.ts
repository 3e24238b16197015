/** The span of time that all pages share. It is written into the address as `7d`, or as `FROM-TO` in Unix seconds. */

const presets = { "1h": 3_600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000, "90d": 7_776_000 } as const;

type Preset = keyof typeof presets;

export const presetNames: readonly Preset[] = ["1h", "24h", "7d", "30d", "90d"];
export const usualRange: Preset = "7d";

export interface Range {
  readonly from: number;
  /** Null for now. */
  readonly to: number | null;
}

function isPreset(text: string): text is Preset {
  return Object.hasOwn(presets, text);
}

/** Reads a range; what is none counts as absent. @param now milliseconds since 1970 */
export function readRange(text: string | undefined, now = Date.now()): Range {
  const match = /^(\d{1,11})-(\d{1,11})$/.exec(text ?? "");
  if (match && Number(match[1]) < Number(match[2])) return { from: Number(match[1]), to: Number(match[2]) };
  const preset = text !== undefined && isPreset(text) ? text : usualRange;
  return { from: quarterBefore(now / 1000) - presets[preset], to: null };
}

export function writeRange(from: number, to: number): string {
  return `${Math.floor(from)}-${Math.ceil(to)}`;
}

const quarter = 900;

/** The last quarter of an hour: sums of times that begin with one need no reading of records. */
export function quarterBefore(seconds: number): number {
  return Math.floor(seconds / quarter) * quarter;
}

/** The quarters of an hour in which these times are. */
export function writeQuarters(from: number, to: number): string {
  return writeRange(quarterBefore(from), quarterBefore(to) + quarter);
}

/** The time before a range, as long as it. @param now milliseconds since 1970 */
export function rangeBefore({ from, to }: Range, now = Date.now()): Range {
  return { from: 2 * from - (to ?? quarterBefore(now / 1000)), to: from };
}

/** The unit by which a chart of a range is told apart, so that it has some tens of points. */
export function unitOf({ from, to }: Range, now = Date.now()): "hour" | "day" | "week" {
  const seconds = (to ?? now / 1000) - from;
  if (seconds <= 3 * 86_400) return "hour";
  return seconds <= 120 * 86_400 ? "day" : "week";
}
