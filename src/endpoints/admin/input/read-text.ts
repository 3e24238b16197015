import { jsonText } from "../../../operations/conversation.ts";
import { readBody } from "../../../pipeline/read-body.ts";
import type { Visit } from "../../visit.ts";

/** So little of an operator's is not counted among the bodies of callers. */
export const uncounted = { addBodyBytes() {}, addParsedBytes() {}, onRelease: null };

/**
 * The text of a JSON body of at most so many bytes.
 * @param hold counts them among the bodies of callers
 * @throws 401 or 403 if the one who asks may no longer do so, now that the body is here
 */
export async function readText(
  { services, request, checkAgain }: Visit,
  maxBytes: number,
  hold: Parameters<typeof readBody>[4],
): Promise<string> {
  const bodyLimits = { ...services.bodyLimits, maxBodyBytes: maxBytes };
  const text = jsonText(await readBody({ ...services, bodyLimits }, null, request, "json", hold));
  await checkAgain?.();
  return text;
}
