type Unit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";

const unitMs = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** The words of each unit in the languages in which providers are seen to write them, whatever the number. */
const words: Readonly<Record<Unit, string>> = {
  second: "second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo secondi",
  minute: "minute minutes min mins minuten minuto minutos minuti minuut",
  hour: "hour hours hr hrs stunde stunden heure heures hora horas ora ore uur",
  day: "day days tag tagen tage jour jours dia días dias día giorno giorni dag dagen",
  week: "week weeks woche wochen semaine semaines semana semanas settimana settimane weken",
  month: "month months monat monaten monate mois mes meses mês mese mesi maand maanden",
  year: "year years jahr jahren jahre an ans año años ano anos anno anni jaar",
};

const units = new Map<string, Unit>(
  (Object.keys(unitMs) as Unit[])
    .concat("month", "year")
    .flatMap((unit) => words[unit].split(" ").map((word) => [word, unit] as const)),
);

const ones: ReadonlySet<string> = new Set("a an one ein eine einem einer un une uno una um uma een".split(" "));

/** `2 weeks ago`, `vor 2 Tagen`, `il y a 3 jours`, `hace 2 días`, `há 3 dias`, `2 giorni fa`, `3 dagen geleden`. */
const ago =
  /^(?:(?<before>vor|il y a|hace|há)\s+)?(?<count>\d{1,4}|\p{L}{1,6})\s+(?<unit>\p{L}{2,10})(?:\s+(?<after>ago|fa|geleden|atrás))?$/u;

const yesterday: ReadonlySet<string> = new Set(["yesterday", "gestern", "hier", "ayer", "ontem", "ieri", "gisteren"]);
const justNow: ReadonlySet<string> = new Set(["just now", "now", "gerade eben", "jetzt"]);

/** A time that is told by how long ago it was, in milliseconds since 1970; null if the text is no such thing. */
export function readRelativeDate(text: string, now: number): number | null {
  const lower = text.toLowerCase();
  const at = Math.floor(now / 1_000) * 1_000;
  if (justNow.has(lower)) return at;
  if (yesterday.has(lower)) return at - unitMs.day;
  const groups = ago.exec(lower)?.groups;
  if (!groups || (groups.before === undefined && groups.after === undefined)) return null;
  const unit = units.get(groups.unit ?? "");
  const count = ones.has(groups.count ?? "") ? 1 : Number(groups.count);
  if (unit === undefined || !Number.isInteger(count)) return null;
  if (unit === "month") return monthsBefore(at, count);
  return unit === "year" ? monthsBefore(at, 12 * count) : at - count * unitMs[unit];
}

/** The same day of an earlier month, or its last. */
function monthsBefore(at: number, count: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - count);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}
