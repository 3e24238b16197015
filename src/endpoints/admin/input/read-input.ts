import type { z } from "zod";
import { invalidParameter } from "../../../errors.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import { queryOf, type Visit } from "../../visit.ts";
import { checkInput } from "./check-input.ts";
import { readText, uncounted } from "./read-text.ts";

const maxBodyBytes = 64 * 1024;
const noMembers: ReadonlySet<string> = new Set();

/** The body of a request as its schema reads it; one that is empty counts as `{}`. Throws a 400 that names the field. */
export async function readInput<Schema extends z.ZodType>(visit: Visit, schema: Schema): Promise<z.output<Schema>> {
  const text = await readText(visit, maxBodyBytes, uncounted);
  return checkInput(schema, text === "" ? {} : readJsonObject(text, noMembers).body);
}

/** The query of a request as its schema reads it. Throws a 400 that names the parameter. */
export function readQuery<Schema extends z.ZodType>({ request }: Visit, schema: Schema): z.output<Schema> {
  const query = queryOf(request.target);
  // Where a key may be sent.
  query.delete("key");
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) throw invalidParameter(name.slice(0, 64), "one value");
  }
  return checkInput(schema, Object.fromEntries(query));
}
