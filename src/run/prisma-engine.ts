import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { inCheckout } from './checkout.ts';
import { listMigrations, migrationsDirectory } from './migrations.ts';
import { createEngineAdapter } from './prisma-engine-adapter.ts';

type Bindings = {
  SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
};

export const schemaFile = inCheckout('prisma', 'schema.prisma');
export const noFilters = { externalTables: [], externalEnums: [] };

// The engine passes the reason of a crash to this global before it aborts; without it the reason is lost.
function keepPanicMessage(message: string): void {
  throw new Error(`Prisma's schema engine crashed: ${message}`);
}

// The engine waits ten seconds for its advisory lock and does not clear that timer when it has the lock. Unref'ed, the
// timer does not keep the process alive.
function withUnrefTimers(bindings: Bindings): WebAssembly.ModuleImports {
  const imports: WebAssembly.ModuleImports = { ...(bindings as unknown as WebAssembly.ModuleImports) };
  for (const [name, setTimer] of Object.entries(imports)) {
    if (!name.startsWith('__wbg_setTimeout_') || typeof setTimer !== 'function') continue;
    imports[name] = (...args: unknown[]) => {
      const timer = setTimer(...args) as NodeJS.Timeout;
      return timer.unref();
    };
  }
  return imports;
}

async function loadBindings(): Promise<Bindings> {
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: keepPanicMessage } });
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bindings = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as Bindings;
  const code = await readFile(path.join(path.dirname(entry), 'schema_engine_bg.wasm'));
  const imports = { './schema_engine_bg.js': withUnrefTimers(bindings) };
  const { instance } = await WebAssembly.instantiate(code, imports);
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return bindings;
}

// Loaded once for the process, also where this module is loaded again, as between test files: the package keeps the instance in
// a variable of its own, and a second one would replace the memory that the first one is still using.
const loaded = Symbol.for('@prisma/schema-engine-wasm');
const wholeProcess = globalThis as { [loaded]?: Promise<Bindings> };

// Prisma's engine as WebAssembly from npm: `prisma migrate` would first download a binary from another server, which not
// every machine can reach. It is the same engine with the same table, so `prisma migrate` works as well where it can run.
export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
  schema = schemaFile,
): Promise<T> {
  wholeProcess[loaded] ??= loadBindings();
  const [bindings, datamodel] = await Promise.all([wholeProcess[loaded], readFile(schema, 'utf8')]);
  const { factory, close } = createEngineAdapter(databaseUrl);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(factory);
    const engine = await bindings.SchemaEngine.new(
      { datamodels: [[schema, datamodel]] },
      () => undefined,
      adapter,
    );
    return await work(engine).finally(() => engine.free());
  } finally {
    await close();
  }
}

export function toMigrationList(directory: string): MigrationList {
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: listMigrations(directory).map((migration) => ({
      path: migration.name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: migration.sql } },
    })),
  };
}

// The SQL from the migrations to the schema; empty when they agree. The migrations are replayed in a shadow
// database that the engine creates beside the given one and drops again.
export async function diffMigrationsToSchema(
  databaseUrl: string,
  migrations = migrationsDirectory,
  schema = schemaFile,
): Promise<string> {
  const content = await readFile(schema, 'utf8');
  const diff = (engine: SchemaEngine) =>
    engine.diff({
      from: { tag: 'migrations', ...toMigrationList(migrations) },
      to: { tag: 'schemaDatamodel', files: [{ path: schema, content }] },
      script: true,
      exitCode: true,
      filters: noFilters,
    });
  const { exitCode, stdout } = await withSchemaEngine(databaseUrl, diff, schema);
  return exitCode === 0 ? '' : (stdout ?? '');
}
