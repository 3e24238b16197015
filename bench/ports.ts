/** Waits until something accepts connections on the port. Throws after `limitMilliseconds`, or when `gone` says why not. */
export async function waitForPort(port: number, gone: () => string | null, limitMilliseconds = 15_000): Promise<void> {
  const limit = performance.now() + limitMilliseconds;
  while (!(await accepts(port))) {
    const reason = gone();
    if (reason !== null) throw new Error(reason);
    if (performance.now() > limit) throw new Error(`nothing answered on port ${port} within ${limitMilliseconds} ms`);
    await Bun.sleep(2);
  }
}

async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
