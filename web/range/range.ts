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
  // Whole minutes: the same question within a minute has the same answer at hand.
  return { from: Math.floor(now / 60_000) * 60 - presets[preset], to: null };
}

export function writeRange(from: number, to: number): string {
  return `${Math.floor(from)}-${Math.ceil(to)}`;
}

/** The unit by which a chart of a range is told apart, so that it has some tens of points. */
export function unitOf({ from, to }: Range, now = Date.now()): "hour" | "day" | "week" {
  const seconds = (to ?? now / 1000) - from;
  if (seconds <= 3 * 86_400) return "hour";
  return seconds <= 120 * 86_400 ? "day" : "week";
}
