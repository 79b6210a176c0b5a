import type { PrismaClient } from '#prisma';

interface SandboxCharge {
  readonly intent: string;
  readonly status: string;
  readonly amount: number;
}

/**
 * The provider's books and ours, side by side, for everything that is settled: no intent was charged twice, every
 * charge is a payment that succeeded or a late truth that a person was shown, and every such payment was charged.
 * Stands call it when they close, so every test that pays is followed by it.
 */
export async function assertLedgersAgree(
  db: PrismaClient,
  sandboxUrl: string,
  tenantId: string,
): Promise<void> {
  const response = await fetch(`${sandboxUrl}/_sandbox/charges?tenant=${encodeURIComponent(tenantId)}`);
  const { data } = (await response.json()) as { data: SandboxCharge[] };
  const charged = data.filter(({ status }) => status === 'succeeded' || status === 'refunded');
  const [payments, late, open] = await Promise.all([
    db.payment.findMany({ where: { tenantId, status: 'succeeded' } }),
    db.lateTruth.findMany({ where: { tenantId } }),
    db.payment.findMany({ where: { tenantId, status: 'pending' } }),
  ]);
  const flagged = new Set(late.map(({ intentId }) => intentId));
  const unsettled = new Set(open.map(({ providerIntentId }) => providerIntentId));

  const theirs = charged.filter(({ intent }) => !flagged.has(intent) && !unsettled.has(intent));
  const ours = payments.filter(({ providerIntentId }) => !flagged.has(providerIntentId ?? ''));
  const lines = (rows: { intent: string | null; amount: number }[]) =>
    rows.map(({ intent, amount }) => `${intent} ${amount}`).sort();
  const a = lines(theirs);
  const b = lines(ours.map((row) => ({ intent: row.providerIntentId, amount: Number(row.amountMinor) })));
  if (a.join() !== b.join()) {
    throw new Error(
      `The ledgers disagree. The provider has:\n${a.join('\n')}\nand we have:\n${b.join('\n')}`,
    );
  }
}
