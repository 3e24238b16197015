import { z } from "zod";
import { milliseconds, smallCount } from "../script/script-limits.ts";

/** How a job goes on once it was taken. Without it a job is found queued once, and then running once. */
export const jobSchema = z.strictObject({
  /** How often it is found queued before it runs. */
  queued: smallCount.optional(),
  /** How often it is found running before it ends. */
  running: smallCount.optional(),
  never_done: z.boolean().optional(),
  /** It fails in the end, with this message. */
  fails: z.string().optional(),
  /** The vendor's word for the failure. */
  code: z.string().optional(),
  /** It is cancelled only in words, and comes to its end nevertheless. */
  done_after_cancel: z.boolean().optional(),
  /** So many questions about it fail. */
  failing_polls: smallCount.optional(),
  /** It makes so many files, whatever was asked for. */
  makes: smallCount.optional(),
  /** What is at the addresses of the files, in place of them. */
  file: z.enum(["missing", "html", "truncated", "moved_to_private"]).optional(),
  /** Its webhook, if one was asked for, comes twice, or with the signature of another body. */
  webhook: z.enum(["twice", "bad_signature"]).optional(),
  /** It ends after this time, however often it is asked for. */
  done_ms: milliseconds.optional(),
});

export type JobScript = z.input<typeof jobSchema>;
