import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';
import { createEngine } from '../engine.ts';
import { expireLease } from '../lease.ts';
import type { Execution } from '../operation.ts';
import { operationRefOf } from '../operation-id.ts';
import { createResponseCipher } from '../response-cipher.ts';
import { createPostgresStore } from '../stores/postgres.ts';
import { createPrismaDriver } from '../stores/prisma.ts';
import { operation as anyOperation } from './engine-under-test.ts';

/** What the test sends to a process with a wrong clock, over IPC. */
export type SkewedRequest =
  | { readonly kind: 'time' }
  /** Responds once the operation executes, or with the outcome of a caller that does not. */
  | { readonly kind: 'claim'; readonly key: string }
  | { readonly kind: 'extend' }
  | { readonly kind: 'phase' }
  | { readonly kind: 'finish' }
  /** Whether this process reads the lease as expired, and what its sweep does. */
  | { readonly kind: 'sweep'; readonly key: string };

const { onReleased: _, ...operation } = anyOperation;
const connectionString = process.env.DATABASE_URL ?? '';
const db = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 2 }) });
const store = createPostgresStore(createPrismaDriver(db));
const cipher = createResponseCipher([{ id: 'test', key: Buffer.alloc(32, 1) }]);
const engine = createEngine({ store, cipher, leaseMs: 60_000 });

let execution: Execution<unknown> | undefined;
let finish: () => Promise<unknown> = () => Promise.reject(new Error('Nothing is being executed.'));

async function respond(request: SkewedRequest): Promise<unknown> {
  switch (request.kind) {
    case 'time':
      return [Date.now(), Date.parse(new Date().toISOString())];
    case 'claim':
      return claim(request.key);
    case 'extend':
      return execution?.extendLease().then(() => 'extended');
    case 'phase':
      return execution?.phase('sent').then(() => 'committed');
    case 'finish':
      return finish();
    case 'sweep': {
      const record = await store.findById(
        operationRefOf({ tenantId: 'acme', operation: operation.name, key: request.key }),
      );
      const moved = record && (await expireLease(store, operation, record, 'sweeper'));
      return { leaseExpired: record?.leaseExpired, movedTo: moved?.status ?? 'nothing' };
    }
  }
}

function claim(key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = { tenantId: 'acme', principal: 'alice', keyHeader: key, input: {} };
    const outcome = engine.run(operation, request, async (granted) => {
      const finished = Promise.withResolvers<void>();
      execution = granted;
      finish = () => {
        finished.resolve();
        return outcome;
      };
      resolve({ executes: granted.attempt });
      await finished.promise;
      return { kind: 'completed', status: 201, body: 'done', cause: 'test' };
    });
    outcome.then(resolve, reject);
  });
}

process.on('message', (request: SkewedRequest) => {
  respond(request).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ threw: error.name }),
  );
});
process.on('disconnect', () => db.$disconnect());
process.send?.('ready');
