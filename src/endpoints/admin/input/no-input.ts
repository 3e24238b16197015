import { z } from "zod";

/** The body of a path that takes none: empty, or an empty object. */
export const noInput = z.strictObject({}, { error: "an empty object, or nothing" });
