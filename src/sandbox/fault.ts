import { z } from "zod";
import { headersSchema, milliseconds } from "./script-limits.ts";

/** A reader that finds data and the break together may drop the data: this keeps the two apart. */
export const defaultBreakDelayMs = 30;

const status = z.int().min(200).max(599);

/** How many events of a stream are sent first. */
const after = z.int().min(0).max(100_000).optional();

/** How long the line is quiet before the connection breaks, so that what was sent can be read first. */
const delay_ms = milliseconds.default(defaultBreakDelayMs);

/** What every fault may say about when it applies. */
const when = {
  /** Only the first n requests fail; later ones are answered. */
  times: z.int().min(1).max(1_000_000).optional(),
  /** Under which name `times` is counted: requests with one key share a count. Default: the model. */
  key: z.string().max(200).optional(),
  /** Only these upstream models fail, so that one body can fail at one target and succeed at another. */
  models: z.array(z.string().max(200)).max(100).optional(),
};

/** One way in which an upstream can fail. */
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
  /** A body, or one event, that is no JSON. */
  z.strictObject({ kind: z.literal("malformed_json"), after, ...when }),
  /** Well-framed, but the document, or one event, stops in its middle. */
  z.strictObject({ kind: z.literal("truncated_json"), after, ...when }),
  /** 200 with nothing in it. */
  z.strictObject({ kind: z.literal("empty_body"), ...when }),
  /** 200 whose JSON body is an error. */
  z.strictObject({ kind: z.literal("error_body"), message: z.string().optional(), ...when }),
  /** A stream whose first event is an error. */
  z.strictObject({ kind: z.literal("error_first"), message: z.string().optional(), ...when }),
  /** An error event in mid-stream, after which the stream ends. */
  z.strictObject({ kind: z.literal("error_event"), after, message: z.string().optional(), ...when }),
  /** The connection is closed inside the body. */
  z.strictObject({ kind: z.literal("cut"), after, delay_ms, ...when }),
  /** TCP reset: inside the body with `after`, else in place of any answer. */
  z.strictObject({ kind: z.literal("reset"), after, delay_ms, ...when }),
  /** A proper end of the HTTP body, too early. */
  z.strictObject({ kind: z.literal("end"), after, ...when }),
  /** Silence until the caller leaves. */
  z.strictObject({
    kind: z.literal("stall"),
    at: z.enum(["headers", "first_byte", "body"]).default("body"),
    after,
    ...when,
  }),
  /** The headers arrive in pieces, with this time between two. */
  z.strictObject({ kind: z.literal("slow_headers"), delay_ms: milliseconds.default(50), ...when }),
  /** A good answer under another content type. */
  z.strictObject({
    kind: z.literal("content_type"),
    value: headersSchema.valueType.default("text/plain"),
    ...when,
  }),
  /** One text of so many million characters, in one event. */
  z.strictObject({ kind: z.literal("huge_frame"), megabytes: z.number().min(0).max(64).default(8), ...when }),
  /** Bytes that are no event, without end. */
  z.strictObject({ kind: z.literal("garbage"), ...when }),
  /** The connection is closed in place of an answer. */
  z.strictObject({ kind: z.literal("close"), ...when }),
]);

export type Fault = z.input<typeof faultSchema>;
type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

/** Whether a script's fault is of that kind. */
export function isFault<Kind extends Fault["kind"]>(fault: Fault | undefined, kind: Kind): fault is FaultOf<Kind> {
  return fault?.kind === kind;
}
