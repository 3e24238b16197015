import { InvalidArgumentError, Option } from "commander";
import { allowedDuration, parseDuration } from "../config/values/duration.ts";

/** The option `--config` of all commands. */
export function configOption(): Option {
  return new Option("--config <file>", "configuration file (default: $TOLLGATE_CONFIG, or ./tollgate.yaml)");
}

export interface ConfigOptions {
  readonly config?: string;
}

/** Reads a whole number of at least 1. */
export function positiveNumber(text: string): number {
  const number = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new InvalidArgumentError("Allowed: a whole number of at least 1.");
  return number;
}

/** Reads a duration of at least one second, in milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === null || milliseconds === 0) throw new InvalidArgumentError(`Allowed: ${allowedDuration}.`);
  return milliseconds;
}

/** Reads a duration that may be 0, in milliseconds. */
export function durationOrNone(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === null) throw new InvalidArgumentError(`Allowed: ${allowedDuration}, or 0s.`);
  return milliseconds;
}

/** Reads a port; 0 selects a free one. */
export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("Allowed: a port from 0 to 65535 (0 selects a free one).");
  return port;
}

/** Reads a comma-separated list and removes duplicates. */
export function commaList(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  if (items.includes("")) throw new InvalidArgumentError("Allowed: a comma-separated list without empty names.");
  return [...new Set(items)];
}
