'use client';

import type { ComponentProps } from 'react';
import { type ButtonSize, type ButtonTone, buttonStyle } from './button-style.ts';
import { Spinner } from './spinner.tsx';
import { useHydrated } from './use-hydrated.ts';

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: ButtonTone;
  size?: ButtonSize;
  /** Shows that work is in progress. The button keeps its focus and stays reachable by a screen reader. */
  busy?: boolean;
}

/** Disabled until JavaScript runs: a click before that would have no effect. */
export function Button({
  tone,
  size,
  busy = false,
  disabled = false,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  const hydrated = useHydrated();
  return (
    <button
      type="button"
      disabled={disabled || !hydrated}
      aria-disabled={busy || undefined}
      className={`${buttonStyle(tone, size)} ${busy ? 'cursor-progress' : ''} ${className}`}
      {...rest}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}
