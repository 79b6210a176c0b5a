import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout, inCheckout } from './checkout.ts';

const stamp = inCheckout('.next', 'built-from');

const sources = [
  'src',
  'public',
  'prisma/schema.prisma',
  'package-lock.json',
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
];

// None of these is part of the Next app; the architecture test checks that.
const notInBuild = /^src\/(run|sandbox)\/|\.test\.tsx?$/;

function listFiles(): string[] {
  return sources
    .flatMap((source) => {
      const entry = inCheckout(source);
      if (!existsSync(entry)) return [];
      if (path.extname(source) !== '') return [source];
      return readdirSync(entry, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => path.relative(checkout, path.join(file.parentPath, file.name)));
    })
    .filter((file) => !notInBuild.test(file))
    .sort();
}

export function hashSources(): string {
  const hash = createHash('sha256');
  for (const file of listFiles())
    hash
      .update(`${file}\0`)
      .update(readFileSync(inCheckout(file)))
      .update('\0');
  return hash.digest('hex');
}

export function isBuilt(hash: string): boolean {
  return (
    existsSync(inCheckout('.next', 'BUILD_ID')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
  );
}

export function recordBuild(hash: string): void {
  writeFileSync(stamp, hash);
}
