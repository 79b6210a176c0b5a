import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';

/** Enough for a busy process on two cores; many processes share one PostgreSQL with its hundred connections. */
const connections = 10;

export function openDatabase(url: string): PrismaClient {
  const adapter = new PrismaPg({ connectionString: url, max: connections, connectionTimeoutMillis: 3_000 });
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 3_000, timeout: 10_000 } });
}
