import { expect, test, vi } from 'vitest';
import { decorateProvider } from './decorate-provider.ts';
import type { PaymentProvider } from './provider.ts';

const of = { operationId: 'op_1', tenantId: 'acme' };
/** The arguments of each call of the port, and the operation that it is made for. */
const calls = {
  createIntent: { args: [{ ...of, generation: 1 }], of },
  confirmIntent: { args: ['pi_1', { ...of, generation: 1 }], of },
  retrieveIntent: { args: ['pi_1', of], of },
  cancelIntent: { args: ['pi_1', of], of },
  createRefund: { args: [{ ...of, intentId: 'pi_1' }], of },
  findRefund: { args: [{ ...of, intentId: 'pi_1' }], of },
  findCharges: { args: [{ tenantId: 'acme', reference: 'r', intentIds: [] }], of: undefined },
  ping: { args: [], of: undefined },
} satisfies Record<keyof PaymentProvider, object>;

test.each(Object.entries(calls))(
  '%s is sent by the decorator, unchanged, with its operation',
  async (method, call) => {
    const send = vi.fn(async () => 'its result');
    const seen: unknown[] = [];
    const decorated = decorateProvider({ [method]: send } as never, async (about, proceed) => {
      seen.push(about);
      expect(send).not.toHaveBeenCalled();
      return proceed();
    }) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    expect(await decorated[method]?.(...call.args)).toBe('its result');
    expect(send).toHaveBeenCalledExactlyOnceWith(...call.args);
    expect(seen).toMatchObject([{ method, of: call.of }]);
  },
);
