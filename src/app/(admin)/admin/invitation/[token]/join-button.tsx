'use client';

import { useRouter } from 'next/navigation';
import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { api } from '../../../../trpc/client.ts';
import { useAction } from '../../use-action.ts';

export function JoinButton({ token, shopName }: { token: string; shopName: string }) {
  const router = useRouter();
  const { busy, failure, run } = useAction();

  async function join() {
    if (await run(() => api.account.join.mutate({ token }))) router.replace('/admin');
  }

  return (
    <>
      <Button size="large" className="w-full" busy={busy} onClick={join}>
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
