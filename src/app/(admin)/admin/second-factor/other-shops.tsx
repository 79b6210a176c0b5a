'use client';

import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { useCommand } from '../use-command.ts';

/** The person's shops that do not ask for a second factor: the one that does has no switch to them. */
export function OtherShops(props: {
  shops: readonly { readonly tenantId: string; readonly tenantName: string }[];
}) {
  const { busy, done, failure, run } = useCommand(useTRPC().account.switchShop.mutationOptions(), '/admin');
  return (
    <section aria-label="Your other shops" className="mt-6 grid gap-3">
      <p className="text-ink-soft text-sm">Or open a shop that does not ask for one:</p>
      <div className="flex flex-wrap gap-2">
        {props.shops.map(({ tenantId, tenantName }) => (
          <Button
            key={tenantId}
            tone="secondary"
            size="small"
            busy={busy || done}
            onClick={() => run({ tenantId })}
          >
            {tenantName}
          </Button>
        ))}
      </div>
      {failure && <InlineError>{failure}</InlineError>}
    </section>
  );
}
