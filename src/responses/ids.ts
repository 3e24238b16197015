/** Longer ids are no ids. */
const maxIdLength = 256;

/** Whether a store can be asked for this id at all. */
export function isId(id: string): boolean {
  return id.length <= maxIdLength && !id.includes("\u0000");
}
