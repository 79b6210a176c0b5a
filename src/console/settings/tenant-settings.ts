import { operationDefaults } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

const hourMs = 3_600_000;

/** The numbers that a tenant may set, in the units in which they are stored. */
export const numberNames = ['leaseMs', 'replayHours', 'bodyHours', 'metadataHours', 'idleMinutes'] as const;
export type NumberName = (typeof numberNames)[number];

/** Null means the installation's default. */
export interface TenantChoice extends Readonly<Record<NumberName, number | null>> {
  readonly fourEyes: boolean;
  /** Whether members need a second factor. */
  readonly secondFactor: boolean;
}

interface Limits {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** The installation's own lease, and the bounds of every tenant's. */
export interface LeaseLimits {
  readonly defaultMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

export function limitsOf(lease: LeaseLimits, defaultIdleMinutes: number) {
  const { retention } = operationDefaults;
  return {
    leaseMs: { fallback: lease.defaultMs, min: lease.minMs, max: lease.maxMs },
    // Clients retry for hours; none retries after a year.
    replayHours: { fallback: retention.replayMs / hourMs, min: 1, max: 365 * 24 },
    bodyHours: { fallback: retention.bodyMs / hourMs, min: 1, max: 365 * 24 },
    // Afterwards the key counts as new. No client retries for longer than a day.
    metadataHours: { fallback: retention.metadataMs / hourMs, min: 24, max: 10 * 365 * 24 },
    // Less than five minutes interrupts a person who reads; after a day the person has stopped.
    idleMinutes: { fallback: defaultIdleMinutes, min: 5, max: 24 * 60 },
  } as const satisfies Record<NumberName, Limits>;
}

export type TenantLimits = ReturnType<typeof limitsOf>;

export interface SettingProblem {
  readonly field: NumberName | 'fourEyes' | 'secondFactor' | 'reason';
  readonly message: string;
}

/** Problems of a choice as it would take effect, with the defaults where the tenant chose nothing. */
export function findSettingProblems(choice: TenantChoice, limits: TenantLimits): SettingProblem[] {
  const problems: SettingProblem[] = [];
  for (const field of numberNames) {
    const { min, max } = limits[field];
    const value = choice[field];
    if (value !== null && (value < min || value > max)) {
      const range = `${Math.ceil(min / unitSize[field])} to ${Math.floor(max / unitSize[field])}`;
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
  idleMinutes: 'The idle limit',
};
const units: Record<NumberName, string> = {
  leaseMs: 'seconds',
  replayHours: 'hours',
  bodyHours: 'hours',
  metadataHours: 'hours',
  idleMinutes: 'minutes',
};

/** Leases are stored in milliseconds and shown in seconds. */
const unitSize: Record<NumberName, number> = {
  leaseMs: 1_000,
  replayHours: 1,
  bodyHours: 1,
  metadataHours: 1,
  idleMinutes: 1,
};

const allDefaults: TenantChoice = {
  leaseMs: null,
  replayHours: null,
  bodyHours: null,
  metadataHours: null,
  idleMinutes: null,
  fourEyes: true,
  secondFactor: false,
};

export async function readTenantSettings(db: Pick<PrismaClient, 'tenantSettings'>, tenantId: string) {
  const row = await db.tenantSettings.findUnique({ where: { tenantId } });
  const choice: TenantChoice = row ? pick(row) : allDefaults;
  return { choice, updatedAt: row?.updatedAt.toISOString() ?? null, updatedBy: row?.updatedBy ?? null };
}

function pick(row: TenantChoice): TenantChoice {
  const { leaseMs, replayHours, bodyHours, metadataHours, idleMinutes, fourEyes, secondFactor } = row;
  return { leaseMs, replayHours, bodyHours, metadataHours, idleMinutes, fourEyes, secondFactor };
}

/**
 * Whether a choice protects the shop less than before: one person alone decides, a password alone is enough, or a browser
 * left open is signed in for longer.
 */
function isWeaker(before: TenantChoice, after: TenantChoice, limits: TenantLimits): boolean {
  const idleOf = (choice: TenantChoice) => choice.idleMinutes ?? limits.idleMinutes.fallback;
  return (
    (before.fourEyes && !after.fourEyes) ||
    (before.secondFactor && !after.secondFactor) ||
    idleOf(after) > idleOf(before)
  );
}

export type SettingsChange =
  | { readonly kind: 'changed'; readonly updatedAt: string }
  | { readonly kind: 'unchanged' }
  /** Another owner has changed them since the page was opened: to save all of its values would undo that unseen. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'refused'; readonly problems: readonly SettingProblem[] };

/**
 * The audit entry has the old and the new values. Switching four eyes off also needs a reason. `seen` is when the settings that the
 * owner saw were changed; undefined: not compared. `onWeaker` may throw: it is called
 * while the settings are locked, so that those it is about are the ones that are changed.
 */
export async function changeTenantSettings(
  db: PrismaClient,
  actor: Actor,
  limits: TenantLimits,
  choice: TenantChoice,
  { reason, seen }: { readonly reason: string | undefined; readonly seen: string | null | undefined },
  onWeaker: () => void = () => undefined,
): Promise<SettingsChange> {
  const problems = findSettingProblems(choice, limits);
  if (problems.length > 0) return { kind: 'refused', problems };
  const { tenantId } = actor;
  return db.$transaction(async (tx) => {
    // The lock serializes two owners, so that each entry's old values are the previous entry's new ones.
    await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenantId} FOR NO KEY UPDATE`;
    const row = await tx.tenantSettings.findUnique({ where: { tenantId } });
    if (seen !== undefined && seen !== (row?.updatedAt.toISOString() ?? null)) return { kind: 'outdated' };
    const before = row ? pick(row) : allDefaults;
    if (isWeaker(before, choice, limits)) onWeaker();
    const changed = ([...numberNames, 'fourEyes', 'secondFactor'] as const).filter(
      (name) => before[name] !== choice[name],
    );
    if (changed.length === 0) return { kind: 'unchanged' };
    if (before.fourEyes && !choice.fourEyes && !reason) {
      const message = 'Say why one person alone may decide from now on; it is kept in the audit log.';
      return { kind: 'refused', problems: [{ field: 'reason', message }] };
    }
    const [written] = await tx.$queryRaw<{ updatedAt: Date }[]>`
      INSERT INTO tenant_settings
        (tenant_id, lease_ms, replay_hours, body_hours, metadata_hours, idle_minutes, four_eyes, second_factor,
          updated_at, updated_by)
      VALUES (${tenantId}, ${choice.leaseMs}::int, ${choice.replayHours}::int, ${choice.bodyHours}::int,
        ${choice.metadataHours}::int, ${choice.idleMinutes}::int, ${choice.fourEyes}, ${choice.secondFactor},
        clock_timestamp(), ${actor.email})
      ON CONFLICT (tenant_id) DO UPDATE SET lease_ms = excluded.lease_ms, replay_hours = excluded.replay_hours,
        body_hours = excluded.body_hours, metadata_hours = excluded.metadata_hours, four_eyes = excluded.four_eyes,
        idle_minutes = excluded.idle_minutes, second_factor = excluded.second_factor,
        updated_at = excluded.updated_at, updated_by = excluded.updated_by
      RETURNING updated_at AS "updatedAt"`;
    if (!written) throw new Error('The settings were not stored.');
    await writeAuditEntry(tx, actor, {
      action: 'settings.change',
      subject: { type: 'tenant', id: tenantId },
      reason,
      details: Object.fromEntries(changed.map((name) => [name, { from: before[name], to: choice[name] }])),
    });
    return { kind: 'changed', updatedAt: written.updatedAt.toISOString() };
  });
}
