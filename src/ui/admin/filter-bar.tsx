import { type ReactNode, useId } from 'react';
import { buttonStyle } from '../button-style.ts';

const field =
  'block min-h-11 w-full min-w-0 rounded-xl border border-line-strong bg-surface px-3 text-base sm:text-sm focus-visible:border-accent focus-visible:outline-offset-0';

/** A plain GET form: it works without JavaScript, and its address can be bookmarked and shared. */
export function FilterBar(props: { action: string; label: string; children: ReactNode; clear?: boolean }) {
  return (
    <form
      action={props.action}
      aria-label={props.label}
      className="mt-6 grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap"
    >
      {props.children}
      {/* As high as the fields beside them, with a mouse too. */}
      <div className="col-span-2 flex gap-3 max-sm:*:flex-1">
        <button type="submit" className={buttonStyle('secondary')}>
          Filter
        </button>
        {props.clear && (
          <a href={props.action} className={buttonStyle('quiet')}>
            Clear
          </a>
        )}
      </div>
    </form>
  );
}

export function FilterSelect(props: {
  name: string;
  label: string;
  value: string | undefined;
  any: string;
  options: readonly (readonly [value: string, label: string])[];
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-ink-faint text-xs">
        {props.label}
      </label>
      <select id={id} name={props.name} defaultValue={props.value ?? ''} className={`${field} sm:max-w-64`}>
        <option value="">{props.any}</option>
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

export function FilterInput(props: {
  name: string;
  label: string;
  value: string | undefined;
  type?: 'text' | 'date';
  /** In characters, where the field need not be as wide as others. */
  size?: number;
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-ink-faint text-xs">
        {props.label}
      </label>
      <input
        id={id}
        name={props.name}
        type={props.type ?? 'text'}
        size={props.size}
        defaultValue={props.value ?? ''}
        className={field}
      />
    </div>
  );
}
