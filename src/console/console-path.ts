const home = "/console";

/** A path to go to after a sign-in; that of the first page if it does not lead into the console. */
export function consolePath(given: string | undefined): string {
  if (given === undefined || given.length > 2_048 || !given.startsWith(home)) return home;
  const url = URL.parse(given, "http://console.invalid");
  if (url === null || url.host !== "console.invalid") return home;
  // Read as a browser reads it: without `..`, and with `\` as `/`.
  const isWithin = url.pathname === home || url.pathname.startsWith(`${home}/`);
  return isWithin ? url.pathname + url.search + url.hash : home;
}
