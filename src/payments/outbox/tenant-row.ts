import { Prisma } from '#prisma';

/** Names a row of a tenant's table. */
export interface TenantRow {
  readonly tenantId: string;
  readonly id: string;
}

/** The condition that finds it by its primary key. */
export function isRow({ tenantId, id }: TenantRow): Prisma.Sql {
  return Prisma.sql`tenant_id = ${tenantId} AND id = ${id}::uuid`;
}
