'use client';

import { LogOut } from 'lucide-react';
import { Button } from '#ui/button.tsx';
import { authClient } from '../auth-client.ts';
import { useAuthCall } from '../use-auth-call.ts';

export function SignOutButton({ className = '' }: { className?: string }) {
  const { busy, problem, run } = useAuthCall(() => authClient.signOut(), {
    // The page is left at once: what it would read now fails, and would say that the session was lost.
    onDone: () => window.location.assign('/admin/sign-in'),
  });

  return (
    <Button tone="quiet" size="small" className={className} busy={busy} onClick={() => run(undefined)}>
      {!busy && <LogOut className="size-4" aria-hidden="true" />}
      {problem ? 'Not signed out. Try again' : 'Sign out'}
    </Button>
  );
}
