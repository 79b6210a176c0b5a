import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PlainError } from '#run/plain-error.ts';
import { writeRows } from './tables.ts';

// The limit: the statements of the workload from PostgreSQL's own load generator, with one connection per caller.

const key = `'pgbench-' || :k::bigint`;
const pay = `\\set k random(1, 9000000000000000000)
\\set amount random(100, 99999)
INSERT INTO idem_keys (key, hash, status) VALUES (${key}, repeat('f', 64), 'started') ON CONFLICT DO NOTHING RETURNING key;
${writeRows({
  values: {
    key,
    orderId: `'o-12345678'`,
    amount: ':amount::bigint',
    currency: `'EUR'`,
    chargeId: `'ch_1_' || :k::bigint`,
  },
  completesKey: true,
}).replaceAll(/\s+/g, ' ')};
`;
const replay = `SELECT hash, status, response FROM idem_keys WHERE key = 'pgbench-replay';
`;

export interface PgbenchFigures {
  readonly perSecond: number;
}

/** False where the program is not on the machine; it comes with PostgreSQL's own packages, not with the embedded one. */
export async function isPgbenchInstalled(): Promise<boolean> {
  return run(['--version'], '').then(
    () => true,
    () => false,
  );
}

export async function runPgbench(
  url: string,
  options: { readonly work: 'pay' | 'replay'; readonly callers: number; readonly seconds: number },
): Promise<PgbenchFigures> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-pgbench-'));
  try {
    const file = path.join(directory, 'script.sql');
    writeFileSync(file, options.work === 'pay' ? pay : replay);
    const threads = String(Math.min(2, options.callers));
    const load = ['-c', String(options.callers), '-j', threads, '-T', String(options.seconds)];
    const where = ['-h', hostname, '-p', port, '-U', username];
    const output = await run(
      [...where, '-n', '-M', 'prepared', ...load, '-f', file, pathname.slice(1)],
      decodeURIComponent(password),
    );
    const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
    if (Number.isNaN(perSecond)) throw new PlainError(`pgbench reported no rate:\n${output}`);
    return { perSecond };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function run(args: readonly string[], password: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('pgbench', args, { env: { ...process.env, PGPASSWORD: password } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new PlainError(output))));
  });
}
