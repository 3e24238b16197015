/** The strategies that are measured, each as a policy over three targets. */
export const strategies = [
  "priority",
  "weighted",
  "round_robin",
  "lowest_latency",
  "lowest_cost",
  "least_busy",
] as const;

export type Strategy = (typeof strategies)[number];
