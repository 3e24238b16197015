/** A step of a path: a name, a place in a list, or any of either. */
export type PathStep = string | number | typeof anyStep;

const anyStep = Symbol("any");

const step = String.raw`(?:[^.[\]*$"'\s]+|\*)`;
const place = String.raw`\[(?:\d{1,6}|\*)\]`;
const pattern = new RegExp(`^(?:\\$\\.?)?(?:${step}|${place})(?:\\.${step}|${place})*$`);
const steps = new RegExp(`${step}|${place}`, "g");

/** What a path should be if it is none, else null. */
export function pathProblem(path: string): string | null {
  return pattern.test(path) ? null : "a path such as messages[*].content or metadata.user";
}

/** The steps of a path that has no problem. */
export function readPath(path: string): readonly PathStep[] {
  return (path.replace(/^\$\.?/, "").match(steps) ?? []).map((text) => {
    const inner = text.startsWith("[") ? text.slice(1, -1) : text;
    if (inner === "*") return anyStep;
    return text.startsWith("[") ? Number(inner) : inner;
  });
}

/** Whether a step leads to a property or a place. */
export function leadsTo(step: PathStep, at: string | number): boolean {
  return step === anyStep || step === at;
}
