import { Fragment } from 'react';
import type { ApiField } from './api.ts';

export function FieldList({ title, fields }: { title: string; fields: readonly ApiField[] }) {
  if (fields.length === 0) return null;
  return (
    <section className="mt-8">
      <h3 className="border-line border-b pb-2 font-semibold text-sm tracking-tight">{title}</h3>
      <Fields fields={fields} />
    </section>
  );
}

export function Fields({ fields }: { fields: readonly ApiField[] }) {
  return (
    <dl>
      {fields.map((field) => (
        <div key={field.name} className="border-line border-b py-3.5 last:border-b-0">
          <dt className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
            <span className="font-medium font-mono text-[0.8125rem]">{field.name}</span>
            <span className="text-ink-faint text-xs">
              {field.type}
              {field.nullable && ' or null'}
            </span>
            {field.required ? (
              <span className="font-medium text-warn text-xs">required</span>
            ) : (
              <span className="text-ink-faint text-xs">optional</span>
            )}
          </dt>
          <dd className="mt-1 text-ink-soft text-sm leading-6">
            {field.description}
            <Constraints constraints={field.constraints} />
            {field.fields.length > 0 && (
              <details className="group mt-2">
                <summary className="inline-flex min-h-11 items-center gap-2 font-medium text-accent-ink text-sm pointer-fine:min-h-8">
                  <span className="group-open:hidden">Show the fields of {field.name}</span>
                  <span className="hidden group-open:inline">Hide the fields of {field.name}</span>
                </summary>
                <div className="mt-1 rounded-xl border border-line px-4">
                  <Fields fields={field.fields} />
                </div>
              </details>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Constraints({ constraints }: { constraints: readonly string[] }) {
  if (constraints.length === 0) return null;
  return (
    <span className="mt-0.5 block break-words text-ink-faint text-xs leading-5">
      {constraints.map((constraint, index) => (
        <Fragment key={constraint}>
          {index > 0 && ' · '}
          <Constraint text={constraint} />
        </Fragment>
      ))}
    </span>
  );
}

/** Literal values are shown as code. */
function Constraint({ text }: { text: string }) {
  const [, lead, values] = /^(one of|matches) (.*)$/.exec(text) ?? [];
  if (!lead || !values) return capitalize(text);
  return (
    <>
      {capitalize(lead)} <span className="break-all font-mono text-ink-soft">{values}</span>
    </>
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
