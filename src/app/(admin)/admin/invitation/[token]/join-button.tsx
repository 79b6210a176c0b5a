'use client';

import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { api } from '#app/trpc/client.ts';
import { useAction } from '#app/(admin)/admin/use-action.ts';

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
          <Mishap>{failure}</Mishap>
        </div>
      )}
    </>
  );
}
