import type { PrismaClient } from '#prisma';

interface SandboxCharge {
  readonly intent: string;
  readonly status: string;
  readonly amount: number;
}

/**
 * Compares the provider's charges with our books, for everything that is resolved: no intent was charged twice, every charge
 * is a payment that succeeded or an exception, and every such payment was charged. Harnesses call it when they close, so it
 * follows every test that pays.
 */
export async function assertLedgersAgree(
  db: PrismaClient,
  sandboxUrl: string,
  tenantId: string,
): Promise<void> {
  const response = await fetch(`${sandboxUrl}/_sandbox/charges?tenant=${encodeURIComponent(tenantId)}`);
  const { data } = (await response.json()) as { data: SandboxCharge[] };
  const charged = data.filter(({ status }) => status === 'succeeded' || status === 'refunded');
  const [payments, exceptions, pending] = await Promise.all([
    db.payment.findMany({ where: { tenantId, status: 'succeeded' } }),
    db.reconciliationException.findMany({ where: { tenantId } }),
    db.payment.findMany({ where: { tenantId, status: 'pending' } }),
  ]);
  const flagged = new Set(exceptions.map(({ intentId }) => intentId));
  const unresolved = new Set(pending.map(({ providerIntentId }) => providerIntentId));

  const theirs = charged.filter(({ intent }) => !flagged.has(intent) && !unresolved.has(intent));
  const ours = payments.filter(({ providerIntentId }) => !flagged.has(providerIntentId ?? ''));
  const entriesOf = (rows: { intent: string | null; amount: number }[]) =>
    rows.map(({ intent, amount }) => `${intent} ${amount}`).sort();
  const a = entriesOf(theirs);
  const b = entriesOf(ours.map((row) => ({ intent: row.providerIntentId, amount: Number(row.amountMinor) })));
  if (a.join() !== b.join()) {
    throw new Error(
      `The ledgers disagree. The provider has:\n${a.join('\n')}\nand we have:\n${b.join('\n')}`,
    );
  }
}
