const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** The English name of a language in lower case, as OpenAI writes it: `en` and `eng` are `english`. */
export function languageName(tag: string): string {
  try {
    const { language } = new Intl.Locale(tag);
    return names.of(language)?.toLowerCase() ?? tag;
  } catch {
    return tag;
  }
}
