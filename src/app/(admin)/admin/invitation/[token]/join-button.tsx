'use client';

import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

export function JoinButton({ token, shopName }: { token: string; shopName: string }) {
  const { busy, failure, run } = useCommand(useTRPC().account.join.mutationOptions(), '/admin');

  return (
    <>
      <Button size="large" className="w-full" busy={busy} onClick={() => run({ token })}>
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
