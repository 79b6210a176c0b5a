'use client';

import { useAction } from '#app/(admin)/admin/use-action.ts';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

export function JoinButton({ token, shopName }: { token: string; shopName: string }) {
  const { busy, failure, run } = useAction();

  return (
    <>
      <Button
        size="large"
        className="w-full"
        busy={busy}
        onClick={() => run(() => api.account.join.mutate({ token }), '/admin')}
      >
        Join {shopName}
      </Button>
      {failure && (
        <div className="mt-4">
          <InlineError>{failure}</InlineError>
        </div>
      )}
    </>
  );
}
