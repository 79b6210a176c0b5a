import { connect, createServer, type Socket } from 'node:net';

/** A wire between a process and PostgreSQL that a test can cut and mend. */
export interface CuttableProxy {
  readonly url: string;
  /** Open connections are reset, new ones refused, until it is mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openCuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let whole = true;

  const server = createServer((near) => {
    if (!whole) return near.resetAndDestroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('error', () => other.destroy());
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address ? address.port : 0);

  return {
    url: url.href,
    cut() {
      whole = false;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    mend() {
      whole = true;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
