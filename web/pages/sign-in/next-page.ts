/** The address after the sign-in: only one of the console's own pages, since anyone can write a link to the sign-in. */
export function nextPage(wanted: string | undefined, origin: string): string {
  const home = "/console";
  if (wanted === undefined || !wanted.startsWith("/")) return home;
  const url = URL.parse(wanted, origin);
  if (url === null) return home;
  const isOwn = url.origin === origin && (url.pathname === home || url.pathname.startsWith(`${home}/`));
  const isPage = isOwn && !/^\/console\/(auth|assets|sign-in|set-up)/.test(url.pathname);
  return isPage ? url.pathname + url.search : home;
}
