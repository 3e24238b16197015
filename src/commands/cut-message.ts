/** Characters of one value in quotes, of a word, and of a whole message, that an error repeats. */
const maxValue = 200;
const maxWord = 300;
const maxMessage = 4_000;

/** An error without secrets, as short as it can be read: what was typed may be a key, or a whole file. */
export function cutMessage(text: string): string {
  const clean = text
    .replace(/\bsk-tg[-_][\w-]{11,}/g, "[redacted]")
    .replace(/(:\/\/[^\s:@/]{0,256}:)[^\s@/]{1,1024}@/g, "$1[redacted]@")
    .replace(/'([^']*)'/gs, (whole, value: string) => (value.length > maxValue ? `'${cut(value, maxValue)}'` : whole))
    .replace(/\S+/g, (word) => cut(word, maxWord));
  return cut(clean, maxMessage);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}...` : text;
}
