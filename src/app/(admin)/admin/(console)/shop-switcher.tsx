'use client';

import { api } from '#app/trpc/client.ts';
import { SelectField } from '#ui/select-field.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';
import { useAction } from '../use-action.ts';

/** For people of several shops. Everything below the header is about the one that is chosen. */
export function ShopSwitcher(props: {
  id: string;
  className: string;
  current: string;
  shops: readonly { readonly tenantId: string; readonly tenantName: string }[];
}) {
  const hydrated = useHydrated();
  const { busy, failure, run } = useAction();
  return (
    <div className={props.className}>
      <SelectField
        id={props.id}
        label="Shop"
        quiet
        value={props.current}
        disabled={busy || !hydrated}
        options={props.shops.map(({ tenantId, tenantName }) => [tenantId, tenantName] as const)}
        onChange={({ target }) => {
          const tenantId = target.value;
          // What was open may not exist in the other shop.
          void run(() => api.account.switchShop.mutate({ tenantId }), '/admin');
        }}
      />
      {failure && (
        <p role="alert" className="text-danger text-xs">
          {failure}
        </p>
      )}
    </div>
  );
}
