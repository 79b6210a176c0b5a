import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What the dashboard and the alert rules ask of Prometheus. */
export interface Query {
  readonly title: string;
  readonly expr: string;
  /** The labels that a panel names its lines by. */
  readonly legend: readonly string[];
}

function read(file: string): string {
  return readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] };
export const panels: readonly Query[] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({
    title,
    expr,
    legend: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  })),
);

export const rules = read('alert-rules.yml');
export const alerts: readonly Query[] = [...rules.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g)].map(
  ([, title = '', expr = '']) => ({ title, expr, legend: [] }),
);

export interface Selector {
  readonly name: string;
  /** Alternatives are separated by `|`. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Equality and a list of alternatives are known here; another matcher would be read as a label that no series has. */
export function selectorsIn(expr: string): Selector[] {
  return [...expr.matchAll(/(paidonce_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', matchers]) => ({
    name,
    labels: Object.fromEntries(
      (matchers?.split(',') ?? []).map((matcher) => {
        const [, label, value] = /^\s*(\w+)=~?"([^"]*)"\s*$/.exec(matcher) ?? [];
        return label === undefined ? [matcher, ''] : [label, value ?? ''];
      }),
    ),
  }));
}

/** The labels that a query keeps apart, or joins by. */
export function groupingsIn({ expr, legend }: Query): string[] {
  const named = [...expr.matchAll(/\b(?:by|on) ?\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(','));
  return [...named.map((label) => label.trim()).filter(Boolean), ...legend];
}
