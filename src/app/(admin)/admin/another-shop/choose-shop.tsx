'use client';

import { useEffect } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
import { takeShopLeft } from '#app/trpc/shop-left.ts';
import { Button } from '#ui/button.tsx';
import { buttonStyle } from '#ui/button-style.ts';
import { InlineError } from '#ui/notice.tsx';
import { useCommand } from '../use-command.ts';

/** Both lead to a new document: what this one has read of the shop that was left stays in its memory. */
export function ChooseShop(props: {
  open: string;
  meant: { readonly tenantId: string; readonly tenantName: string } | undefined;
  next: string;
}) {
  const { meant } = props;
  const { busy, done, failure, run } = useCommand(useTRPC().account.switchShop.mutationOptions(), props.next);
  // This page has said it, so the next one need not.
  useEffect(() => void takeShopLeft(() => window.sessionStorage), []);
  return (
    <div className="mt-6 grid gap-3">
      <div className="flex flex-wrap gap-2">
        {meant && (
          <Button busy={busy || done} onClick={() => run({ tenantId: meant.tenantId })}>
            Open {meant.tenantName}
          </Button>
        )}
        <a href="/admin" className={buttonStyle('secondary')}>
          Stay with {props.open}
        </a>
      </div>
      {failure && <InlineError>{failure}</InlineError>}
    </div>
  );
}
