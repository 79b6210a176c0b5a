import type { Listener } from '#idempotency/stores/postgres.ts';
import type { Context } from '../trpc/context.ts';

/**
 * Whether the person may still read these shops. For what goes on after its request was admitted: a stream, and an export whose
 * reader takes its time.
 */
export async function mayStillRead(
  { identityNow }: Pick<Context, 'identityNow'>,
  tenantIds: readonly string[],
): Promise<boolean> {
  const found = await identityNow.session();
  if (!found) return false;
  const shops = await identityNow.memberships(found.user.id);
  const open = shops.filter(({ needsSecondFactor }) => found.user.twoFactorEnabled || !needsSecondFactor);
  return tenantIds.every((tenantId) => open.some((shop) => shop.tenantId === tenantId));
}

/** Of what triggers notify when a session or a membership of the person ends. */
const accessTopicOf = (userId: string) => `access:${userId}`;
/** The shop may ask for a second factor from now on. */
const settingsTopicOf = (tenantId: string) => `tenant_settings:${tenantId}`;

/**
 * Aborts as soon as the person may no longer read. It is asked whenever that may have changed, and nothing is read meanwhile. An
 * answer that cannot be had is a no: the page opens its stream again.
 */
export function untilNotAllowed(
  listener: Pick<Listener, 'subscribe'>,
  { userId, tenantIds }: { readonly userId: string; readonly tenantIds: readonly string[] },
  isAllowed: () => Promise<boolean>,
): { readonly signal: AbortSignal; close(): void } {
  const topics = new Set([accessTopicOf(userId), ...tenantIds.map(settingsTopicOf)]);
  const ended = new AbortController();
  let asking = false;
  let changed = false;
  /** One question at a time, however many notifications arrive. */
  async function ask(): Promise<void> {
    changed = true;
    if (asking) return;
    asking = true;
    while (changed && !ended.signal.aborted) {
      changed = false;
      if (!(await isAllowed().catch(() => false))) ended.abort();
    }
    asking = false;
  }
  const close = listener.subscribe({
    onNotified(topic) {
      if (topics.has(topic)) void ask();
    },
    onMissed: () => void ask(),
  });
  return { signal: ended.signal, close };
}
