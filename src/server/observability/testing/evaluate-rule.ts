import { selectorsIn } from './queries.ts';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const comparisons: Record<string, (one: number, other: number) => boolean> = {
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
};

/**
 * Whether a rule's expression holds for these series. This is the little of PromQL that the rules about gauges are
 * written in: selectors, `sum`, `absent`, comparisons with a number or, by `on()`, with one other series, `and on()`, `or`.
 * Anything else throws, so that a rule which cannot be read is not taken for one that does not fire.
 */
export function holds(expr: string, series: readonly Series[]): boolean {
  return expr
    .split(' or ')
    .some((either) => either.split(' and on() ').every((both) => holdsOne(both, series)));
}

function holdsOne(comparison: string, series: readonly Series[]): boolean {
  const [, left = '', operator = '', on, right = ''] =
    /^(\S+)(?: (>|<|==|!=) (on\(\) )?(\S+))?$/.exec(comparison) ?? [];
  const values = valuesOf(left, series);
  if (!operator) return values.length > 0;
  const compare = comparisons[operator];
  if (!compare || Boolean(on) === isNumber(right)) throw new Error(`Not understood: ${comparison}`);
  if (!on) return values.some((value) => compare(value, Number(right)));
  const others = valuesOf(right, series);
  if (values.length > 1 || others.length > 1) throw new Error(`Prometheus would refuse: ${comparison}`);
  return values.some((value) => others.some((other) => compare(value, other)));
}

function valuesOf(term: string, series: readonly Series[]): number[] {
  const [, wrapper, selector = ''] = /^(?:(sum|absent)\()?(paidonce_\w+(?:\{[^}]*\})?)\)?$/.exec(term) ?? [];
  const [wanted] = selectorsIn(selector);
  if (!wanted) throw new Error(`Not understood: ${term}`);
  const found = series
    .filter(({ name, labels }) => name === wanted.name && hasLabels(labels, wanted.labels))
    .map(({ value }) => value);
  if (wrapper === 'absent') return found.length > 0 ? [] : [1];
  if (wrapper === 'sum') return found.length > 0 ? [found.reduce((sum, value) => sum + value, 0)] : [];
  return found;
}

export function hasLabels(labels: Series['labels'], wanted: Series['labels']): boolean {
  return Object.entries(wanted).every(([name, value]) => value.split('|').includes(labels[name] ?? ''));
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
