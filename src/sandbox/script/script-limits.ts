import { z } from "zod";

/** Bounds of scripts, so that no directive can occupy the sandbox without end. */

export const milliseconds = z.int().min(0).max(600_000);

export const smallCount = z.int().min(0).max(1_000_000_000);

export const headersSchema = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/),
  z
    .string()
    .max(8192)
    .regex(/^[\t\x20-\x7e]*$/),
);
