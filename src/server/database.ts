import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '#prisma';

/** Enough for a busy process on two cores; many processes share one PostgreSQL with its hundred connections. */
const connections = 10;

export function openDatabase(url: string): PrismaClient {
  const adapter = new PrismaPg({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 3_000,
    // Claims on the same key wait for whoever is writing it; a process that hangs in the middle must not make them wait.
    idle_in_transaction_session_timeout: 15_000,
  });
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 3_000, timeout: 10_000 } });
}
