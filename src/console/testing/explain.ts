import type { Prisma, PrismaClient } from '#prisma';

/** A step of a plan. */
export interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

export async function explain(db: PrismaClient, query: Prisma.Sql): Promise<{ nodes: Node[]; ms: number }> {
  const [row] = await db.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: Node; 'Execution Time': number }] }[]>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${query.text}`,
    ...query.values,
  );
  const explained = row?.['QUERY PLAN'][0];
  if (!explained) throw new Error('no plan');
  const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return { nodes: all(explained.Plan), ms: explained['Execution Time'] };
}

/** The most rows that any step of the plan read. */
export function mostRows(nodes: readonly Node[]): number {
  return Math.max(
    ...nodes.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ),
  );
}
