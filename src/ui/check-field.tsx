import type { ComponentProps } from 'react';

export function CheckField(
  props: Omit<ComponentProps<'input'>, 'id' | 'type'> & { id: string; label: string; hint?: string },
) {
  const { id, label, hint, ...input } = props;
  return (
    <div className="flex gap-3">
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-3 size-5 shrink-0 accent-accent"
        {...input}
      />
      <div>
        <label htmlFor={id} className="flex min-h-11 items-center py-1.5 font-medium text-sm">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="-mt-1 max-w-[60ch] text-ink-soft text-sm leading-6">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
