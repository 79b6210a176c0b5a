import type { ComponentProps } from 'react';

export function TextArea(
  props: Omit<ComponentProps<'textarea'>, 'id'> & {
    id: string;
    label: string;
    hint?: string;
    error?: string | undefined;
  },
) {
  const { id, label, hint, error, ...area } = props;
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div>
      <label htmlFor={id} className="mb-2 block font-medium text-sm">
        {label}
      </label>
      <textarea
        id={id}
        rows={3}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
        className="block w-full rounded-xl border border-line-strong bg-surface px-4 py-3 text-base placeholder:text-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-danger"
        {...area}
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
