import { z } from 'zod';

const charges = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.enum(['pending', 'succeeded', 'failed', 'refunded']),
      amount: z.number(),
      currency: z.string(),
      intent: z.string(),
      created: z.number(),
    }),
  ),
});

export type Charge = z.output<typeof charges>['data'][number];

const activity = z.object({
  requests: z.array(
    z.object({
      at_ms: z.number(),
      action: z.string(),
      intent: z.string(),
      status: z.number(),
      intent_status: z.string().nullable(),
      sent: z.enum(['response', 'slow', 'nothing', 'reset', 'half']),
      replayed: z.boolean(),
    }),
  ),
  webhooks: z.array(z.object({ at_ms: z.number(), type: z.string(), result: z.string() })),
});

export type ProviderActivity = z.output<typeof activity>;

/** The sandbox's own books, read through its control API: the lab's result does not depend on our own data. */
export interface ProviderLedger {
  /** Of one tenant, or of any: the naive lane's charges name none. */
  chargesFor(tenantId: string | undefined, reference: string): Promise<Charge[]>;
  /** What arrived at the provider about one reference, and which webhooks it sent. */
  activityFor(reference: string): Promise<ProviderActivity>;
}

const timeoutMs = 5_000;

export function createSandboxLedger(sandboxUrl: string): ProviderLedger {
  async function read(path: string, query: Record<string, string>): Promise<unknown> {
    const url = new URL(path, sandboxUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`The sandbox ledger responded ${response.status}.`);
    return response.json();
  }
  return {
    async chargesFor(tenantId, reference) {
      const query = { reference, ...(tenantId !== undefined && { tenant: tenantId }) };
      return charges.parse(await read('/_sandbox/charges', query)).data;
    },
    async activityFor(reference) {
      return activity.parse(await read('/_sandbox/requests', { reference }));
    },
  };
}
