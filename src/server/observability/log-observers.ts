import type { EngineEvent } from '#idempotency/index.ts';
import { isExpectedRejection, type ProviderCall } from '#payments/index.ts';
import type { DueEvent, ReconcileEvent } from '#reconciliation/index.ts';
import type { AuthEvent } from '../auth/hooks.ts';
import type { Logger } from './log.ts';

/** Logs the events of the modules. Every event names its operation and its tenant, so every line does. */
export function createLogObservers(log: Logger) {
  return {
    engine(event: EngineEvent): void {
      if ('error' in event) log.error({ ...event, err: event.error, error: undefined }, event.kind);
      else if (event.kind === 'reserve' || event.kind === 'attempt_ended') log.info(event, event.kind);
      else log.warn(event, event.kind);
    },
    reconciler(event: ReconcileEvent): void {
      log.info(event, event.kind);
    },
    dueWork(event: DueEvent): void {
      if ('error' in event) log.error({ ...event, err: event.error, error: undefined }, event.kind);
      else log[event.kind === 'exhausted' ? 'error' : 'info'](event, event.kind);
    },
    /**
     * A rejected call means a bug or a wrong setting of ours, unless the caller can correct it. The response says that we
     * were alerted, which this does.
     */
    providerCall({ outcome, startedMs: _, ...call }: ProviderCall): void {
      if (outcome !== 'rejected') return;
      log[isExpectedRejection(call.code) ? 'info' : 'error'](call, 'provider rejected');
    },
    /** Without the account: not every reader of the log may know which account is under attack. */
    auth(event: AuthEvent): void {
      if (event.kind === 'failed') log.error({ err: event.error }, 'sign-in failed');
      else log.warn(event, 'account locked');
    },
  };
}
