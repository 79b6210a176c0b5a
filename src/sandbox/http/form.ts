import type { FastifyInstance } from 'fastify';

export type FormValue = string | FormObject;
export interface FormObject {
  [key: string]: FormValue;
}

/**
 * Stripe's bracket notation, in bodies and query strings alike: `metadata[order]=7`, `expand[]=latest_charge`,
 * `expand[0]=latest_charge`. Lists stay objects with numeric keys here, because `metadata[0]=x` is valid and only the
 * schema of a parameter knows whether it is a list.
 */
export function parseForm(text: string): FormObject {
  const root = emptyObject();
  for (const [name, value] of new URLSearchParams(text)) {
    const path = splitName(name);
    const last = path.pop();
    if (last === undefined) continue;
    let parent = root;
    for (const segment of path) parent = childObject(parent, segment);
    parent[last === '' ? nextIndex(parent) : last] = value;
  }
  return root;
}

export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parseForm(String(body))),
  );
}

/** The same parameters in any order give the same text. A reused idempotency key is compared by its hash. */
export function canonicalForm(form: FormObject): string {
  const sorted = Object.keys(form)
    .sort()
    .map((key) => {
      const value = form[key] ?? '';
      return `${JSON.stringify(key)}:${typeof value === 'string' ? JSON.stringify(value) : canonicalForm(value)}`;
    });
  return `{${sorted.join(',')}}`;
}

// No prototype, so that `__proto__[x]=1` is a parameter like any other.
function emptyObject(): FormObject {
  return Object.create(null) as FormObject;
}

function splitName(name: string): string[] {
  const bracket = name.indexOf('[');
  if (bracket <= 0) return [name];
  // A segment may contain a pair of brackets itself, `metadata[a[b]]`, which the schema of metadata refuses.
  const segments = name.slice(bracket).matchAll(/\[((?:[^[\]]|\[[^[\]]*\])*)\]/g);
  const inner = [...segments].map((match) => match[1] ?? '');
  return [name.slice(0, bracket), ...inner];
}

function childObject(parent: FormObject, segment: string): FormObject {
  const key = segment === '' ? nextIndex(parent) : segment;
  const existing = parent[key];
  if (typeof existing === 'object') return existing;
  const child = emptyObject();
  parent[key] = child;
  return child;
}

function nextIndex(parent: FormObject): string {
  return String(Object.keys(parent).length);
}
