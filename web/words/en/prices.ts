export const prices = {
  title: "Price lists",
  description: "Every change of prices is a version that is kept: each request names the one it was charged by.",
  columns: ["Version", "Made", "By", "Note", ""],
  inForce: "In force",
  show: "Show",
  diff: "What changed",
  activate: "Put in force",
  activateTitle: (version: number) => `Put version ${version} in force?`,
  activateMore: "Requests that begin from now on are charged by it. Those before keep their own version.",
  activated: (version: number) => `Version ${version} is in force`,
  rollback: "Roll back",
  rollbackTitle: "Roll back to the version before?",
  import: "Import",
  importTitle: "Import prices",
  importMore:
    "The prices of the file take the place of those imported before. Prices of the configuration stay above them.",
  format: "Format",
  file: "File",
  skip: "Leave out models with missing or invalid prices",
  note: "Note",
  noteHint: "Why the prices change.",
  imported: (models: number) => `Prices of ${models} models are in force`,
  versionTitle: (version: number) => `Version ${version}`,
  diffTitle: (from: number, to: number) => `From version ${from} to ${to}`,
  noDifference: "No price differs.",
  none: "none",
  preview: "What would change",
  previewed: (models: number, leftOut: number) =>
    `The file has prices of ${models} ${models === 1 ? "model" : "models"}${leftOut === 0 ? "" : `; ${leftOut} are left out`}.`,
  firstOf: (shown: number, all: number) => `The first ${shown} of ${all} differences`,
  replay: {
    title: (days: number) => `What the usage of the last ${days} days would have cost`,
    nothing: "Nothing was used in this time.",
    arrow: "→",
    requests: (requests: number, shown: string) => `${shown} ${requests === 1 ? "request" : "requests"}`,
    same: "no difference",
    more: "new",
    share: (share: number) => `${share > 0 ? "+" : "−"}${(Math.abs(share) * 100).toFixed(1)}%`,
    exact: "Exact but for the rounding of single lines, without the markups of accounts.",
    approximate:
      "Approximate: sums of usage do not tell sizes, times and service tiers apart, so that base prices count for these.",
    unknown: (requests: number, shown: string) =>
      requests === 1
        ? "1 request of a model that is gone is not counted."
        : `${shown} requests of models that are gone are not counted.`,
  },
  wrongFile: "This is no JSON file.",
} as const;
