import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';

/** The browser's own select, which works with every keyboard, screen reader and phone. */
export function SelectField(
  props: Omit<ComponentProps<'select'>, 'id'> & {
    id: string;
    label: string;
    options: readonly (readonly [value: string, label: string])[];
    /** The label is for screen readers only, because the context shows what the field is for. */
    quiet?: boolean;
  },
) {
  const { id, label, options, quiet = false, className = '', ...select } = props;
  return (
    <div className={className}>
      <label htmlFor={id} className={quiet ? 'sr-only' : 'mb-2 block font-medium text-sm'}>
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          className={`block w-full appearance-none rounded-xl border border-line-strong bg-surface pr-9 focus-visible:border-accent focus-visible:outline-offset-0 ${quiet ? 'min-h-11 pl-3 text-sm pointer-fine:min-h-9' : 'min-h-12 pl-4 text-base'}`}
          {...select}
        >
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <ChevronDown
          className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-ink-faint"
          aria-hidden="true"
        />
      </div>
    </div>
  );
}
