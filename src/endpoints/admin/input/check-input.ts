import { z } from "zod";
import { type GatewayError, invalidParameter, invalidRequest, missingParameter } from "../../../errors.ts";
import { nearestName } from "../../../nearest-name.ts";

/**
 * Checks what an operator sent. Messages of the schema complete "expected ...".
 * @throws 400 naming the first field at fault; a name that is not known is refused too
 */
export function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw issue ? errorOf(issue, schema) : invalidRequest("invalid_request", "The request cannot be read.");
}

const maxShown = 100;

function errorOf(issue: z.core.$ZodIssue, schema: z.ZodType): GatewayError {
  if (issue.code === "unrecognized_keys") {
    const [name = ""] = issue.keys;
    const nearest = nearestName(name, namesAt(schema, issue.path));
    const hint = nearest === null ? "" : ` Did you mean '${nearest}'?`;
    const path = fieldPath([...issue.path, name.slice(0, maxShown)]);
    return invalidRequest("invalid_parameter", `Unknown parameter: '${path}'.${hint}`, path);
  }
  const path = fieldPath(issue.path);
  if (issue.input === undefined && issue.code === "invalid_type") return missingParameter(path);
  return invalidParameter(path === "" ? "body" : path, issue.message);
}

/** The names that an object of the schema knows. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const step of [...path, null]) {
    while (at instanceof z.ZodOptional || at instanceof z.ZodNullable || at instanceof z.ZodDefault) at = at.unwrap();
    if (step === null || !(at instanceof z.ZodObject)) break;
    at = at.shape[String(step)];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** `["limits", "tokens_per_minute"]` as `limits.tokens_per_minute`, `["models", 0]` as `models[0]`. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}
