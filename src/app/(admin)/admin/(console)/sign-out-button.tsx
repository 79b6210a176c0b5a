'use client';

import { LogOut } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { authClient } from '../auth-client.ts';

export function SignOutButton({ className = '' }: { className?: string }) {
  const router = useRouter();
  const [step, setStep] = useState<'idle' | 'busy' | 'failed'>('idle');

  async function signOut() {
    setStep('busy');
    const { error } = await authClient.signOut().catch((error: unknown) => ({ error }));
    if (error) return setStep('failed');
    router.replace('/admin/sign-in');
    router.refresh();
  }

  return (
    <Button tone="quiet" size="small" className={className} busy={step === 'busy'} onClick={signOut}>
      {step !== 'busy' && <LogOut className="size-4" aria-hidden="true" />}
      {step === 'failed' ? 'Still signed in. Sign out' : 'Sign out'}
    </Button>
  );
}
