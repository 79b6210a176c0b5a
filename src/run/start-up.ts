import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { databaseAddresses, type Settings } from '#server/env.ts';
import { hashSources, isBuilt, recordBuild } from './build.ts';
import { checkDatabase, ensureDatabase, ensureSandboxDatabase } from './database.ts';
import { serverOf } from './database-url.ts';
import { type DemoData, seedDemoData } from './demo-data.ts';
import { probePort } from './free-port.ts';
import { apiSpec, appSpec, buildSpec, type LaunchConfig, sandboxSpec, workerSpec } from './launch-config.ts';
import { applyMigrations } from './migrate.ts';
import { describe, PlainError } from './plain-error.ts';
import { generateClient } from './prisma-client.ts';
import { step } from './progress.ts';
import type { Secrets } from './secrets.ts';
import type { Supervisor } from './supervisor.ts';
import { print } from './terminal.ts';

export function openDataDirectory(directory: string): void {
  try {
    mkdirSync(path.join(directory, 'logs'), { recursive: true });
  } catch (error) {
    throw new PlainError(`DATA_DIR ${directory} cannot be used: ${describe(error)}`);
  }
}

export async function checkPorts(settings: Settings): Promise<void> {
  const wanted = [
    { name: 'PORT', host: settings.HOST, port: settings.PORT },
    ...(settings.API_PORT === undefined
      ? []
      : [{ name: 'API_PORT', host: settings.HOST, port: settings.API_PORT }]),
    ...(settings.provider === 'sandbox'
      ? [{ name: 'SANDBOX_PORT', host: '127.0.0.1', port: settings.SANDBOX_PORT }]
      : []),
  ];
  for (const { name, host, port } of wanted) {
    const problem = await probePort(host, port);
    if (problem === 'in use') {
      throw new PlainError(`Port ${port} on ${host} is in use by another program; stop it or set ${name}.`);
    }
    if (problem === 'not permitted') {
      throw new PlainError(`Port ${port} on ${host} needs more rights than this account has; set ${name}.`);
    }
    if (problem === 'no such address')
      throw new PlainError(`HOST ${host} is not an address of this machine.`);
  }
}

export async function openDatabases(supervisor: Supervisor, settings: Settings, secrets: Secrets) {
  return step('PostgreSQL', async (remark) => {
    let databaseUrl = settings.DATABASE_URL;
    if (databaseUrl === undefined) {
      const server = await supervisor.runPostgres({
        directory: path.join(settings.DATA_DIR, 'postgres'),
        password: secrets.POSTGRES_PASSWORD,
        logFile: path.join(settings.DATA_DIR, 'logs', 'postgres.log'),
      });
      await checkDatabase(server.url('postgres'), 'secrets.json beside the data, or run "npm run reset"');
      databaseUrl = await ensureDatabase(server.url('postgres'), 'paidonce');
      remark(`embedded, port ${server.port}`);
    } else {
      await checkDatabase(databaseUrl, 'DATABASE_URL');
      remark(serverOf(databaseUrl));
    }
    const { directUrl, pooler } = databaseAddresses({ ...settings, DATABASE_URL: databaseUrl });
    if (pooler) await checkDatabase(directUrl, 'DIRECT_DATABASE_URL');
    if (settings.provider === 'stripe') return { databaseUrl, directUrl, sandboxDatabaseUrl: '' };
    const sandboxDatabaseUrl = settings.SANDBOX_DATABASE_URL ?? (await ensureSandboxDatabase(directUrl));
    if (settings.SANDBOX_DATABASE_URL) await checkDatabase(sandboxDatabaseUrl, 'SANDBOX_DATABASE_URL');
    return { databaseUrl, directUrl, sandboxDatabaseUrl };
  });
}

export async function buildApp(supervisor: Supervisor, dev: boolean): Promise<void> {
  await generateClient();
  if (dev) return;
  const hash = hashSources();
  if (isBuilt(hash)) return;
  await step('build', async (remark) => {
    remark('the sources changed');
    await supervisor.runOnce(buildSpec(dev));
    recordBuild(hash);
  });
}

export async function migrate(directUrl: string): Promise<void> {
  await step('migrations', async (remark) => {
    const { applied } = await applyMigrations(directUrl, undefined, (name) =>
      print(`The migration ${name} waits for a table that another session uses; payments go on meanwhile.`),
    );
    if (applied.length > 0) remark(`${applied.length} applied`);
  });
}

export async function seed(config: LaunchConfig): Promise<DemoData | undefined> {
  const { settings, secrets, directUrl } = config;
  if (!settings.DEMO_DATA) return undefined;
  const authSecret = settings.AUTH_SECRET ?? secrets.AUTH_SECRET;
  return step('demo data', () => seedDemoData(settings, directUrl, authSecret));
}

export async function startProcesses(supervisor: Supervisor, config: LaunchConfig): Promise<void> {
  await Promise.all([
    step('app', () => supervisor.run(appSpec(config))),
    step('worker', () => supervisor.run(workerSpec(config))),
    ...(config.settings.API_PORT === undefined ? [] : [step('api', () => supervisor.run(apiSpec(config)))]),
    ...(config.settings.provider === 'sandbox'
      ? [step('sandbox', () => supervisor.run(sandboxSpec(config)))]
      : []),
  ]);
}
