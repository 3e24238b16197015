import { invalidRequest } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";

/** The ids that items of an input refer to, each once. Anything but a list of items refers to none. */
export function referencedIds(input: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  return [...new Set(items.flatMap((item) => referencedId(item) ?? []))];
}

/**
 * The items with each reference replaced by what it refers to. Throws a 400 naming the reference that `lookup` does
 * not know. References cannot lead to references: what is stored is resolved.
 */
export function resolveReferences(
  items: readonly unknown[],
  lookup: (id: string) => JsonObject | undefined,
): readonly unknown[] {
  return items.map((item, index) => {
    const id = referencedId(item);
    if (id === null) return item;
    const found = lookup(id);
    if (found !== undefined) return found;
    const message = `Item with id '${id}' not found. Items are kept only of responses that are stored.`;
    throw invalidRequest("invalid_parameter", message, `input[${index}].id`);
  });
}

/** OpenAI's SDK lets the type be left out: an item that has nothing but an id is a reference. */
function referencedId(item: unknown): string | null {
  if (!isObject(item) || typeof item.id !== "string") return null;
  if (item.type === "item_reference") return item.id;
  const bare = (item.type === undefined || item.type === null) && item.role === undefined;
  return bare ? item.id : null;
}
