export type ButtonTone = 'primary' | 'soft' | 'secondary' | 'quiet';
export type ButtonSize = 'small' | 'medium' | 'large';

const tones: Record<ButtonTone, string> = {
  primary: 'bg-accent text-on-accent enabled:hover:bg-accent-hover [a]:hover:bg-accent-hover',
  soft: 'bg-accent-soft text-accent-ink hover:bg-accent hover:text-on-accent',
  secondary: 'bg-surface text-ink shadow-[inset_0_0_0_1px_var(--line-strong)] hover:bg-sunken',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
};

/** Every size is at least 44 px tall on touch screens; the small one is lower with a mouse. */
const sizes: Record<ButtonSize, string> = {
  small: 'min-h-11 px-3.5 text-sm pointer-fine:min-h-9',
  medium: 'min-h-11 px-5 text-[0.9375rem]',
  large: 'min-h-13 px-6 text-base',
};

/**
 * Separate from `Button`, because links that look like buttons are rendered on the server. Where the system chooses the
 * colours, neither backgrounds nor shadows are painted, so a border says that it is a button.
 */
export function buttonStyle(tone: ButtonTone = 'primary', size: ButtonSize = 'medium'): string {
  return `inline-flex select-none items-center justify-center gap-2 rounded-xl font-medium transition duration-150 disabled:cursor-progress disabled:opacity-60 forced-colors:border ${tones[tone]} ${sizes[size]}`;
}
