/** Dark or light: what the switch says, else what the system has. */

const place = "tollgate.theme";

export type Theme = "system" | "light" | "dark";

export const themes: readonly Theme[] = ["system", "light", "dark"];

/** The theme that was chosen in this browser. */
export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return themes.find((theme) => theme === kept) ?? "system";
  } catch {
    // A browser may keep nothing for a page.
    return "system";
  }
}

/** Shows a theme, and keeps it for the next visit. */
export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  try {
    localStorage.setItem(place, theme);
  } catch {
    // It lasts until the page is closed then.
  }
}

export function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
