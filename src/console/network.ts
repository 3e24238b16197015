/** An address of IPv4; of IPv6 its first 64 bits, since a caller has all addresses that share them. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const last = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => "0");
  return [...groups, ...zeros, ...last].slice(0, 4).join(":");
}
