import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inCheckout } from './checkout.ts';
import { PlainError } from './plain-error.ts';

const schema = inCheckout('prisma', 'schema.prisma');
const stamp = inCheckout('prisma', 'client', '.generated-from');
const config = inCheckout('prisma.config.ts');

function hashInputs(): string {
  const prisma = inCheckout('node_modules', 'prisma', 'package.json');
  return createHash('sha256').update(readFileSync(schema)).update(readFileSync(prisma)).digest('hex');
}

export async function generateClient(): Promise<void> {
  if (!existsSync(schema)) return;
  const hash = hashInputs();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const prisma = inCheckout('node_modules', 'prisma', 'build', 'index.js');
  const result = spawnSync(process.execPath, [prisma, 'generate', '--no-hints', '--config', config], {
    cwd: inCheckout(),
    encoding: 'utf8',
    env: {
      ...process.env,
      // Generating needs no schema engine, but the command downloads one unless this names an executable that exists.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  });
  if (result.status !== 0) {
    throw new PlainError(`The Prisma client could not be generated:\n${result.stderr}${result.stdout}`);
  }
  writeFileSync(stamp, hash);
}
