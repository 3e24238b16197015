/** What no caller and no provider can know to write. */
const secret = crypto.randomUUID();
const marked = new RegExp(`\\{${secret} (\\d+)\\}`);

/** What stands for the content of this number in a text. */
export function markOf(number: number): string {
  return `{${secret} ${number}}`;
}

/** A text with the numbers of contents in place of their marks. */
export function splitAtMarks(text: string): (string | number)[] {
  return text.split(marked).map((part, index) => (index % 2 === 0 ? part : Number(part)));
}
