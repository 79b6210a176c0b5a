import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { checkout, inCheckout } from '#run/checkout.ts';
import { UsageError } from '#run/plain-error.ts';
import { type Filter, type Part, partNames } from './parts.ts';

export type Choice = { part: Part; filter: Filter };

const partOf: [RegExp, Part][] = [
  [/\.db\.test\.ts$/, 'db'],
  [/\.system\.test\.ts$/, 'system'],
  [/\.test\.tsx?$/, 'unit'],
  [/\.spec\.ts$/, 'browser'],
];

export function listTestFiles(): string[] {
  return ['src', 'prisma', 'e2e']
    .filter((folder) => existsSync(inCheckout(folder)))
    .flatMap((folder) => readdirSync(inCheckout(folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && partOf.some(([pattern]) => pattern.test(entry.name)))
    .map((entry) => path.relative(checkout, path.join(entry.parentPath, entry.name)));
}

function partsWith(files: string[]): Part[] {
  const found = files.map((file) => partOf.find(([pattern]) => pattern.test(file))?.[1]);
  return partNames.filter((part) => found.includes(part));
}

// An argument is the name of a part, else part of a test file's path, else part of a test's name.
export function chooseParts(args: string[], files = listTestFiles()): Choice[] {
  const option = args.find((arg) => arg.startsWith('-'));
  if (option !== undefined)
    throw new UsageError(`"${option}" is not an option; --help explains the command.`);
  if (args.length === 0) return partNames.map((part) => ({ part, filter: {} }));
  return args.flatMap((arg): Choice[] => {
    const named = partNames.find((part) => part === arg);
    if (named) return [{ part: named, filter: {} }];
    const matching = files.filter((file) => file.includes(arg));
    if (matching.length > 0) return partsWith(matching).map((part) => ({ part, filter: { files: arg } }));
    return [{ part: 'unit', filter: { name: arg } }];
  });
}

/** Not beside `types`, which writes files of the build as well. */
export function canBuildBeside(part: Part, after: readonly Part[]): boolean {
  return part === 'db' && (after.includes('system') || after.includes('browser'));
}
