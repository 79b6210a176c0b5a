import type { ComponentProps } from 'react';
import { Spinner } from './spinner.tsx';

type Tone = 'primary' | 'secondary' | 'quiet';
type Size = 'medium' | 'large' | 'small';

const tones: Record<Tone, string> = {
  primary:
    'bg-accent text-on-accent hover:bg-accent-hover disabled:bg-sunken disabled:text-ink-faint disabled:shadow-[inset_0_0_0_1px_var(--line)]',
  secondary:
    'bg-surface text-ink shadow-[inset_0_0_0_1px_var(--line-strong)] hover:bg-sunken disabled:text-ink-faint disabled:shadow-[inset_0_0_0_1px_var(--line)]',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
};

/** Every size is at least 44 px tall where fingers are used; the small one may be lower under a mouse. */
const sizes: Record<Size, string> = {
  small: 'min-h-11 px-3.5 text-sm pointer-fine:min-h-9',
  medium: 'min-h-11 px-5 text-[0.9375rem]',
  large: 'min-h-13 px-6 text-base',
};

/** For links that look like buttons as well. */
export function buttonStyle(tone: Tone = 'primary', size: Size = 'medium'): string {
  return `inline-flex select-none items-center justify-center gap-2 rounded-xl font-medium transition-colors duration-150 disabled:cursor-not-allowed ${tones[tone]} ${sizes[size]}`;
}

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: Tone;
  size?: Size;
  /** Shows that something is under way. The button keeps its focus and stays in reach of a screen reader. */
  busy?: boolean;
}

export function Button({ tone, size, busy = false, className = '', children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={busy || undefined}
      className={`${buttonStyle(tone, size)} ${busy ? 'cursor-progress' : ''} ${className}`}
      {...rest}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}
