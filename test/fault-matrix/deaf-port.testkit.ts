import { dlopen, ptr } from "bun:ffi";
import { connect, type Socket } from "node:net";

/** A port that neither accepts nor refuses connections. */
export interface DeafPort {
  readonly port: number;
  close(): void;
}

const isMac = process.platform === "darwin";
const inet = 2;
const stream = 1;
const knocks = 8;

/**
 * Opens such a port. Bun's servers accept all connections, so the socket is made by system calls: it listens with a backlog
 * of one, does not accept, and a few connections fill the backlog. The system then drops further ones.
 */
export async function openDeafPort(): Promise<DeafPort> {
  const library = dlopen(isMac ? "libSystem.B.dylib" : "libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
    listen: { args: ["i32", "i32"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    close: { args: ["i32"], returns: "i32" },
  });
  const { symbols: system } = library;
  const descriptor = system.socket(inet, stream, 0);
  const address = loopbackAddress();
  const failed =
    system.bind(descriptor, ptr(address), address.length) +
    system.listen(descriptor, 1) +
    system.getsockname(descriptor, ptr(address), ptr(new Uint32Array([address.length])));
  if (descriptor < 0 || failed !== 0) throw new Error("The system gave no port to be deaf at.");
  const port = new DataView(address.buffer).getUint16(2);
  const knocking = await knock(port);
  return {
    port,
    close() {
      for (const socket of knocking) socket.destroy();
      system.close(descriptor);
      library.close();
    },
  };
}

/** A `struct sockaddr_in` of 127.0.0.1 and any free port. */
function loopbackAddress(): Uint8Array {
  const address = new Uint8Array(16);
  if (isMac) address.set([address.length, inet]);
  else address.set([inet]);
  address.set([127, 0, 0, 1], 4);
  return address;
}

/** Fills the backlog. */
async function knock(port: number): Promise<readonly Socket[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sockets = Array.from({ length: knocks }, () =>
    connect({ host: "127.0.0.1", port })
      .once("connect", resolve)
      .on("error", () => {}),
  );
  await promise;
  return sockets;
}
