import pg from 'pg';
import { applyMigrations } from '../migrate.ts';
import { openEngineWorkload } from './engine-workload.ts';
import { openPaymentWorkload } from './payment-workload.ts';
import { benchTenant, type OpenOptions, type Workload } from './workload.ts';

// What a rig that compares us with other libraries loads from this checkout; see the README beside this file.

/** An empty database gets the migrations and one tenant. */
export async function prepare(url: string): Promise<void> {
  await applyMigrations(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO organization (id, name, slug) VALUES ($1, 'T', 't') ON CONFLICT DO NOTHING`,
    [benchTenant],
  );
  await client.end();
}

export interface PeerOptions extends OpenOptions {
  /** `engine`: three commits, `engine1`: two, `payment`: the real `createPayment`. */
  readonly mode: 'engine' | 'engine1' | 'payment';
}

export async function open({ mode, ...options }: PeerOptions): Promise<Workload> {
  switch (mode) {
    case 'engine':
      return openEngineWorkload(options, { commits: 3 });
    case 'engine1':
      return openEngineWorkload(options, { commits: 2 });
    case 'payment':
      return openPaymentWorkload(options);
    default:
      // The figures of one mode must never be reported as those of another.
      throw new Error(`There is no benchmark of the mode "${mode satisfies never}".`);
  }
}
