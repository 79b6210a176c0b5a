'use client';

import { useTRPC } from '#app/trpc/provider.tsx';
import { showShop } from '#app/trpc/shop-of-page.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';
import { useCommand } from '../use-command.ts';

/** For members of several shops. Everything below the header is about the chosen shop. */
export function ShopSwitcher(props: {
  id: string;
  className: string;
  current: string;
  shops: readonly { readonly tenantId: string; readonly tenantName: string }[];
}) {
  const hydrated = useHydrated();
  const switchShop = useTRPC().account.switchShop.mutationOptions({
    onMutate: (): unknown => showShop(undefined),
    onError: () => showShop(props.current),
  });
  // The open page may be about something that the other shop does not have.
  const { busy, done, failure, run } = useCommand(switchShop, '/admin');
  return (
    <div className={props.className}>
      <SelectField
        id={props.id}
        label="Shop"
        quiet
        value={props.current}
        disabled={busy || done || !hydrated}
        options={props.shops.map(({ tenantId, tenantName }) => [tenantId, tenantName] as const)}
        onChange={({ target }) => run({ tenantId: target.value })}
      />
      {failure && (
        <p role="alert" className="text-danger text-xs">
          {failure}
        </p>
      )}
    </div>
  );
}
