import { z } from "zod";
import { changeKinds } from "../../../changes/change.ts";
import { numberParameter, pageLimit } from "../input/page.ts";

export const changeListQuery = z.strictObject({
  kind: z
    .enum(changeKinds, { error: `one of ${changeKinds.join(", ")}` })
    .optional()
    .meta({ description: "Only changes of this kind." }),
  id: z.string().optional().meta({ description: "Only changes of what has this id." }),
  limit: pageLimit,
  after: numberParameter(0, Number.MAX_SAFE_INTEGER, "the next of the page before")
    .optional()
    .meta({ description: "The `next` of the page before." }),
});

/** Who makes a change, or begins something. */
export const actorObject = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("key"), id: z.string() }),
  z.object({ kind: z.literal("command_line"), user: z.string() }),
  z.object({ kind: z.literal("console"), user: z.string() }),
  z.object({ kind: z.literal("gateway") }),
]);

const state = z.record(z.string(), z.unknown()).nullable();

/** A change as it is shown. */
export const changeObject = z.object({
  object: z.literal("change"),
  sequence: z.int(),
  created_at: z.int().meta({ description: "Unix seconds." }),
  by: actorObject,
  kind: z.enum(changeKinds),
  id: z.string(),
  action: z.string(),
  before: state,
  after: state,
});
