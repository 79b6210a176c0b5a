import { randomUUID } from 'node:crypto';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import { createLab, createSandboxLedger, type Lab } from '#lab/index.ts';
import type { Services } from '../services.ts';

/** One per process. Next loads a route's modules more than once, so a module variable would open several. */
const slot = Symbol.for('paidonce.lab');
const shared = globalThis as { [slot]?: Lab };

/** The lab exists on the embedded default only: it has a checkout that charges twice, and kills servers. */
export function openLab(services: Services): Lab {
  if (!services.settings.demo) throw new Error('There is no lab here.');
  shared[slot] ??= build(services);
  return shared[slot];
}

function build({ db, store, reconciler, settings }: Services): Lab {
  return createLab({
    ...{ db, store, reconciler },
    ledger: createSandboxLedger(settings.SANDBOX_URL),
    appUrl: localUrl(settings),
    databaseUrl: settings.DATABASE_URL,
    env: process.env,
    async openTenant() {
      const tenant = await db.organization.upsert({
        where: { slug: 'lab' },
        update: {},
        create: { id: randomUUID(), slug: 'lab', name: 'The lab' },
      });
      const { token, prefix, hash } = mintApiKey();
      // The token is known to this process only; the one of the process before it ends here.
      await db.$transaction([
        db.apiKey.deleteMany({ where: { tenantId: tenant.id } }),
        db.apiKey.create({ data: { tenantId: tenant.id, name: 'The lab', prefix, hash } }),
      ]);
      return { tenantId: tenant.id, apiKey: token };
    },
  });
}

/** The app's address on this machine; visitors may use another one. */
function localUrl({ HOST, PORT }: Services['settings']): string {
  const host = ['0.0.0.0', '::', '[::]'].includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${PORT}`;
}
