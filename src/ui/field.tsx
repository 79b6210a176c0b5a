import type { ReactNode } from 'react';

export interface FieldProps {
  id: string;
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
}

/** The attributes that connect a control with its label, error and hint. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

export const controlStyle =
  // 16 px: a smaller font makes phones zoom into the field.
  'block w-full rounded-xl border border-line-strong bg-surface px-4 text-base placeholder:text-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-danger';

export function Field(props: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const { id, label, hint, error } = props;
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div>
      <label htmlFor={id} className="mb-2 block font-medium text-sm">
        {label}
      </label>
      {props.children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': described || undefined,
      })}
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
