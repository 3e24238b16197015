import { z } from "zod";
import { headersSchema, milliseconds } from "./script-limits.ts";

/** Keeps data and a break apart, because a reader that gets both at once may drop the data. */
export const defaultBreakDelayMs = 30;

const status = z.int().min(200).max(599);

/** The number of events sent before the fault. */
const after = z.int().min(0).max(100_000).optional();

/** The pause before the connection breaks, so that the sent data can be read. */
const delay_ms = milliseconds.default(defaultBreakDelayMs);

/** When a fault applies. */
const when = {
  /** Only the first n requests fail; later ones are answered. */
  times: z.int().min(1).max(1_000_000).optional(),
  /** The counter for `times`: requests with the same key share it. Default: the model. */
  key: z.string().max(200).optional(),
  /** Only these upstream models fail, so that the same body can fail at one target and succeed at another. */
  models: z.array(z.string().max(200)).max(100).optional(),
};

/** A fault of an upstream. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** Any status, with any body; without one, the vendor's own error. */
  z.strictObject({
    kind: z.literal("status"),
    status,
    body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
    message: z.string().optional(),
    code: z.string().optional(),
    headers: headersSchema.optional(),
    ...when,
  }),
  /** A proxy's HTML error page (502). */
  z.strictObject({ kind: z.literal("html"), status: status.optional(), ...when }),
  /** A body, or one event, that is not JSON. */
  z.strictObject({ kind: z.literal("malformed_json"), after, ...when }),
  /** Valid framing, but the document, or one event, is truncated. */
  z.strictObject({ kind: z.literal("truncated_json"), after, ...when }),
  /** 200 with an empty body. */
  z.strictObject({ kind: z.literal("empty_body"), ...when }),
  /** 200 whose JSON body is an error. */
  z.strictObject({ kind: z.literal("error_body"), message: z.string().optional(), ...when }),
  /** A stream whose first event is an error. */
  z.strictObject({ kind: z.literal("error_first"), message: z.string().optional(), ...when }),
  /** An error event during the stream, after which it ends. */
  z.strictObject({ kind: z.literal("error_event"), after, message: z.string().optional(), ...when }),
  /** The connection is closed inside the body. */
  z.strictObject({ kind: z.literal("cut"), after, delay_ms, ...when }),
  /** TCP reset: inside the body with `after`, otherwise instead of an answer. */
  z.strictObject({ kind: z.literal("reset"), after, delay_ms, ...when }),
  /** A proper end of the HTTP body, too early. */
  z.strictObject({ kind: z.literal("end"), after, ...when }),
  /** Silence until the caller disconnects. */
  z.strictObject({
    kind: z.literal("stall"),
    at: z.enum(["headers", "first_byte", "body"]).default("body"),
    after,
    ...when,
  }),
  /** The headers arrive in parts, with this delay between them. */
  z.strictObject({ kind: z.literal("slow_headers"), delay_ms: milliseconds.default(50), ...when }),
  /** A valid answer with another content type. */
  z.strictObject({
    kind: z.literal("content_type"),
    value: headersSchema.valueType.default("text/plain"),
    ...when,
  }),
  /** A text of this many million characters in one event. */
  z.strictObject({ kind: z.literal("huge_frame"), megabytes: z.number().min(0).max(64).default(8), ...when }),
  /** Endless bytes without an event. */
  z.strictObject({ kind: z.literal("garbage"), ...when }),
  /** The connection is closed instead of an answer. */
  z.strictObject({ kind: z.literal("close"), ...when }),
]);

export type Fault = z.input<typeof faultSchema>;
type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

/** Whether a script's fault is of that kind. */
export function isFault<Kind extends Fault["kind"]>(fault: Fault | undefined, kind: Kind): fault is FaultOf<Kind> {
  return fault?.kind === kind;
}
