import { expect, test, vi } from 'vitest';
import { decorateProvider } from './decorate-provider.ts';
import type { PaymentProvider } from './provider.ts';

const operation = { operationId: 'op_1', tenantId: 'acme' };
/** The arguments of each call of the port, and the operation that it is made for. */
const calls = {
  createIntent: { args: [{ ...operation, generation: 1 }], operation },
  confirmIntent: { args: ['pi_1', { ...operation, generation: 1 }], operation },
  retrieveIntent: { args: ['pi_1', operation], operation },
  cancelIntent: { args: ['pi_1', operation], operation },
  createRefund: { args: [{ ...operation, intentId: 'pi_1' }], operation },
  findRefund: { args: [{ ...operation, intentId: 'pi_1' }], operation },
  findCharges: { args: [{ tenantId: 'acme', reference: 'r', intentIds: [] }], operation: undefined },
  listCreated: { args: [{ object: 'refund', since: new Date(0), after: 're_1' }], operation: undefined },
  listEvents: { args: [{ since: new Date(0), after: 'evt_1' }], operation: undefined },
  ping: { args: [], operation: undefined },
} satisfies Record<keyof PaymentProvider, object>;

test.each(Object.entries(calls))(
  '%s is sent by the decorator, unchanged, with its operation',
  async (method, call) => {
    const send = vi.fn(async () => 'its result');
    const reported: unknown[] = [];
    const decorated = decorateProvider({ [method]: send } as never, async (sent, proceed) => {
      reported.push(sent);
      expect(send).not.toHaveBeenCalled();
      return proceed();
    }) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    expect(await decorated[method]?.(...call.args)).toBe('its result');
    expect(send).toHaveBeenCalledExactlyOnceWith(...call.args);
    expect(reported).toMatchObject([{ method, operation: call.operation }]);
  },
);
