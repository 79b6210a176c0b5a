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

/** The sandbox's own charges, read through its control API: the lab's result does not depend on our own data. */
export interface ProviderLedger {
  chargesFor(tenantId: string, reference: string): Promise<Charge[]>;
}

export function createSandboxLedger(sandboxUrl: string): ProviderLedger {
  return {
    async chargesFor(tenantId, reference) {
      const url = new URL('/_sandbox/charges', sandboxUrl);
      url.searchParams.set('reference', reference);
      url.searchParams.set('tenant', tenantId);
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      if (!response.ok) throw new Error(`The sandbox ledger responded ${response.status}.`);
      return charges.parse(await response.json()).data;
    },
  };
}
