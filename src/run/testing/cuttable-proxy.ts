import { connect, createServer, type Socket } from 'node:net';

/** A proxy between a process and PostgreSQL that a test can cut, silence and mend. */
export interface CuttableProxy {
  readonly url: string;
  /** Open connections are reset, new ones refused, until it is mended. */
  cut(): void;
  /**
   * Cuts at the first statement that contains the text: before it is sent, or after PostgreSQL has executed it, so that only
   * its response is lost. Resolves when that has happened.
   */
  cutAt(text: string, lost: 'statement' | 'response'): Promise<void>;
  /**
   * As if the packets of all connections were lost: nothing is forwarded, and neither side learns of it. After the proxy is
   * mended, new connections work, and those from before stay silent.
   */
  silence(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openCuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  let trap: { readonly text: string; readonly lost: 'statement' | 'response'; sprung(): void } | undefined;

  function cut(): void {
    state = 'cut';
    for (const socket of sockets) socket.resetAndDestroy();
  }

  /** Lost with its statement or its response, and all other connections with it. */
  function springIfIn(data: Buffer, far: Socket): boolean {
    if (!trap || !data.includes(trap.text)) return false;
    const { lost, sprung } = trap;
    trap = undefined;
    const spring = () => {
      cut();
      sprung();
    };
    if (lost === 'statement') {
      spring();
      return true;
    }
    far.unpipe();
    far.once('data', spring).resume();
    return false;
  }

  const server = createServer((near) => {
    if (state === 'cut') return near.resetAndDestroy();
    if (state === 'silent') return keep(near);
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(one);
      one.on('close', () => other.destroy());
    }
    near.on('data', (data: Buffer) => {
      if (!springIfIn(data, far)) far.write(data);
    });
    near.on('end', () => far.end());
    far.pipe(near);
  });

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The 'close' that follows is what matters.
    socket.on('error', () => undefined);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address ? address.port : 0);

  return {
    url: url.href,
    cut,
    cutAt: (text, lost) =>
      new Promise((resolve) => {
        trap = { text, lost, sprung: resolve };
      }),
    silence() {
      state = 'silent';
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      state = 'whole';
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
