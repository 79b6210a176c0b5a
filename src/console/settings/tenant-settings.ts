import { operationDefaults } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

const hourMs = 3_600_000;

/** The numbers a tenant may set, in the units in which they are stored. */
export const numberNames = ['leaseMs', 'replayHours', 'bodyHours', 'metadataHours'] as const;
export type NumberName = (typeof numberNames)[number];

/** Null: the installation's default holds. */
export interface TenantChoice extends Readonly<Record<NumberName, number | null>> {
  readonly fourEyes: boolean;
}

interface Limits {
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

/** The installation's own lease, and what every tenant's must be within. */
export interface LeaseLimits {
  readonly defaultMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

export function limitsOf(lease: LeaseLimits) {
  const { retention } = operationDefaults;
  return {
    leaseMs: { fallback: lease.defaultMs, least: lease.leastMs, most: lease.mostMs },
    // A client that retries does so for hours, not for minutes; after a year nobody does.
    replayHours: { fallback: retention.replayMs / hourMs, least: 1, most: 365 * 24 },
    bodyHours: { fallback: retention.bodyMs / hourMs, least: 1, most: 365 * 24 },
    // Once it is over, the key is as if it had never been: a day is the least that no honest retry outlives.
    metadataHours: { fallback: retention.metadataMs / hourMs, least: 24, most: 10 * 365 * 24 },
  } as const satisfies Record<NumberName, Limits>;
}

export type TenantLimits = ReturnType<typeof limitsOf>;

export interface SettingProblem {
  readonly field: NumberName | 'fourEyes' | 'reason';
  readonly message: string;
}

/** What is wrong with a choice, judged as it would take effect: with the defaults where the tenant chose nothing. */
export function findSettingProblems(choice: TenantChoice, limits: TenantLimits): SettingProblem[] {
  const problems: SettingProblem[] = [];
  for (const field of numberNames) {
    const { least, most } = limits[field];
    const value = choice[field];
    if (value !== null && (value < least || value > most)) {
      const range = `${Math.ceil(least / inUnit[field])} to ${Math.floor(most / inUnit[field])}`;
      problems.push({ field, message: `${labels[field]} must be from ${range} ${units[field]}.` });
    }
  }
  const inEffect = (field: NumberName) => choice[field] ?? limits[field].fallback;
  if (inEffect('bodyHours') > inEffect('replayHours')) {
    problems.push({
      field: 'bodyHours',
      message: `Answers can not be kept longer than they are replayed (${inEffect('replayHours')} hours).`,
    });
  }
  if (inEffect('replayHours') > inEffect('metadataHours')) {
    problems.push({
      field: 'metadataHours',
      message: `Keys must be remembered at least as long as they are replayed (${inEffect('replayHours')} hours).`,
    });
  }
  return problems;
}

const labels: Record<NumberName, string> = {
  leaseMs: 'The lease',
  replayHours: 'The replay window',
  bodyHours: 'The time answers are kept',
  metadataHours: 'The time keys are remembered',
};
const units: Record<NumberName, string> = {
  leaseMs: 'seconds',
  replayHours: 'hours',
  bodyHours: 'hours',
  metadataHours: 'hours',
};

/** People think of a lease in seconds. */
const inUnit: Record<NumberName, number> = { leaseMs: 1_000, replayHours: 1, bodyHours: 1, metadataHours: 1 };

const untouched: TenantChoice = {
  leaseMs: null,
  replayHours: null,
  bodyHours: null,
  metadataHours: null,
  fourEyes: true,
};

export async function readTenantSettings(db: Pick<PrismaClient, 'tenantSettings'>, tenantId: string) {
  const row = await db.tenantSettings.findUnique({ where: { tenantId } });
  const choice: TenantChoice = row ? pick(row) : untouched;
  return { choice, updatedAt: row?.updatedAt.toISOString() ?? null, updatedBy: row?.updatedBy ?? null };
}

function pick({ leaseMs, replayHours, bodyHours, metadataHours, fourEyes }: TenantChoice): TenantChoice {
  return { leaseMs, replayHours, bodyHours, metadataHours, fourEyes };
}

export type SettingsChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly problems: readonly SettingProblem[] };

/** The log says what was changed, from what to what; taking the second pair of eyes away says why, too. */
export async function changeTenantSettings(
  db: PrismaClient,
  actor: Actor,
  limits: TenantLimits,
  choice: TenantChoice,
  reason: string | undefined,
): Promise<SettingsChange> {
  const problems = findSettingProblems(choice, limits);
  if (problems.length > 0) return { kind: 'refused', problems };
  const { tenantId } = actor;
  return db.$transaction(async (tx) => {
    // Two owners at once take turns, so that each log entry starts where the one before it ended.
    await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenantId} FOR NO KEY UPDATE`;
    const row = await tx.tenantSettings.findUnique({ where: { tenantId } });
    const before = row ? pick(row) : untouched;
    const changed = ([...numberNames, 'fourEyes'] as const).filter((name) => before[name] !== choice[name]);
    if (changed.length === 0) return { kind: 'unchanged' };
    if (before.fourEyes && !choice.fourEyes && !reason) {
      const message = 'Say why one person alone may decide from now on; it is kept in the audit log.';
      return { kind: 'refused', problems: [{ field: 'reason', message }] };
    }
    await tx.$executeRaw`
      INSERT INTO tenant_settings
        (tenant_id, lease_ms, replay_hours, body_hours, metadata_hours, four_eyes, updated_at, updated_by)
      VALUES (${tenantId}, ${choice.leaseMs}::int, ${choice.replayHours}::int, ${choice.bodyHours}::int,
        ${choice.metadataHours}::int, ${choice.fourEyes}, clock_timestamp(), ${actor.email})
      ON CONFLICT (tenant_id) DO UPDATE SET lease_ms = excluded.lease_ms, replay_hours = excluded.replay_hours,
        body_hours = excluded.body_hours, metadata_hours = excluded.metadata_hours, four_eyes = excluded.four_eyes,
        updated_at = excluded.updated_at, updated_by = excluded.updated_by`;
    await writeAuditEntry(tx, actor, {
      action: 'settings.change',
      subject: { type: 'tenant', id: tenantId },
      reason,
      details: Object.fromEntries(changed.map((name) => [name, { from: before[name], to: choice[name] }])),
    });
    return { kind: 'changed' };
  });
}
