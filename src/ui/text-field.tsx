import type { ComponentProps } from 'react';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  id: string;
  label: string;
  hint?: string;
  error?: string | undefined;
}

export function TextField({ id, label, hint, error, ...input }: TextFieldProps) {
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div>
      <label htmlFor={id} className="mb-2 block font-medium text-sm">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
        // 16 px: a smaller font makes phones zoom into the field.
        className="block min-h-12 w-full rounded-xl border border-line-strong bg-surface px-4 text-base placeholder:text-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-danger"
        {...input}
      />
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-danger text-sm">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-ink-faint text-sm">
          {hint}
        </p>
      )}
    </div>
  );
}
