import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '#server/env.ts';
import { inCheckout } from './checkout.ts';

export type DemoTenant = {
  slug: string;
  operator: { email: string; password: string };
  people: { role: string; email: string; password: string }[];
  apiKey: string;
};
export type DemoData = { tenants: DemoTenant[]; isNew: boolean };

type DemoFile = { urls: { app: string; sandbox: string }; tenants: DemoTenant[] };
type SeedDemo = (options: {
  databaseUrl: string;
  authSecret: string;
  known: DemoTenant[] | undefined;
  logins: boolean;
}) => Promise<DemoTenant[]>;

export function demoFileOf(settings: Settings): string {
  return path.join(settings.DATA_DIR, 'demo.json');
}

function readKnown(file: string): DemoTenant[] | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as DemoFile).tenants;
  } catch {
    // Credentials that cannot be read are lost, and the seed makes new ones.
    return undefined;
  }
}

// The file is written on every start, because the URLs may have changed. Without logins it is not written: a file that is
// there belongs to the embedded database and is still valid for it.
export async function seedDemoData(
  settings: Settings,
  databaseUrl: string,
  authSecret: string,
): Promise<DemoData> {
  const file = demoFileOf(settings);
  const known = readKnown(file);
  const { seedDemo } = (await import(inCheckout('prisma', 'seed.ts'))) as { seedDemo: SeedDemo };
  const tenants = await seedDemo({ databaseUrl, authSecret, known, logins: settings.demo });
  if (!settings.demo) return { tenants, isNew: false };
  const content: DemoFile = { urls: { app: settings.PUBLIC_URL, sandbox: settings.SANDBOX_URL }, tenants };
  const partial = `${file}.${process.pid}`;
  rmSync(partial, { force: true });
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
  return { tenants, isNew: JSON.stringify(tenants) !== JSON.stringify(known) };
}
