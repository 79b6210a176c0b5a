/** The evidence of a transition, one row per value. */
export function Evidence({ value }: { value: unknown }) {
  const facts = flatten(value);
  if (facts.length === 0) return null;
  return (
    <dl className="mt-3 grid gap-x-4 gap-y-1 rounded-lg bg-sunken px-3 py-2.5 text-xs leading-5 grid-cols-[max-content_1fr]">
      {facts.map(([name, fact]) => (
        <div key={name} className="contents">
          <dt className="text-ink-faint">{name}</dt>
          <dd className="break-all font-mono text-ink-soft">{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Nested values get dotted names. */
function flatten(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path || 'evidence', String(value)]];
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, path ? `${path}.${name}` : name));
}
