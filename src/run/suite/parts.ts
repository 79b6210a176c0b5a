import { rmSync } from 'node:fs';
import { findBrowser } from '#run/browser.ts';
import { hashSources, isBuilt, recordBuild } from '#run/build.ts';
import { inCheckout } from '#run/checkout.ts';
import { describe } from '#run/plain-error.ts';
import { print, printError } from '#run/terminal.ts';
import { type Count, countPlaywright, countVitest } from './reports.ts';
import { runTool } from './run-tool.ts';

export type Filter = { files?: string; name?: string };

/** Added to the environment of the tools that run tests. */
export type Environment = Record<string, string>;

const tool = {
  biome: inCheckout('node_modules', '@biomejs', 'biome', 'bin', 'biome'),
  next: inCheckout('node_modules', 'next', 'dist', 'bin', 'next'),
  playwright: inCheckout('node_modules', 'playwright', 'cli.js'),
  tsc: inCheckout('node_modules', 'typescript', 'bin', 'tsc'),
  vitest: inCheckout('node_modules', 'vitest', 'vitest.mjs'),
};

function oneCheck(ok: boolean): Count {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function freshReport(name: string): string {
  const file = inCheckout('node_modules', '.cache', 'paidonce', `${name}-report.json`);
  rmSync(file, { force: true });
  return file;
}

async function lint(): Promise<Count> {
  return oneCheck(
    (
      await runTool(tool.biome, [
        'ci',
        '--error-on-warnings',
        ...(process.stdout.isTTY === true ? [] : ['--colors=off']),
      ])
    ).ok,
  );
}

async function types(): Promise<Count> {
  const typegen = await runTool(tool.next, ['typegen'], { NEXT_TELEMETRY_DISABLED: '1' });
  // Never incremental: TypeScript 7 sometimes reports errors from a cached version of a file.
  return oneCheck(typegen.ok && (await runTool(tool.tsc, ['--noEmit', '--incremental', 'false'])).ok);
}

type Project = 'unit' | 'db' | 'system';

async function vitest(project: Project, filter: Filter, environment: Environment): Promise<Count> {
  const report = freshReport(project);
  // With a star, because `system` has a second project, `system-load`.
  const args = ['run', '--project', `${project}*`, '--reporter=default', '--reporter=json'];
  const chosen = [
    ...(filter.name ? ['--testNamePattern', filter.name] : []),
    ...(filter.files ? [filter.files] : []),
  ];
  const { ok } = await runTool(tool.vitest, [...args, `--outputFile.json=${report}`, ...chosen], environment);
  return countVitest(report, ok);
}

let earlyBuild: Promise<unknown> | undefined;

/** Builds while a part runs that waits for processes and databases, so that the parts which need the build find it. */
export function buildEarly(): void {
  earlyBuild ??= build({ background: true });
}

/** One that failed in the background is repeated, and then prints why. */
async function build({ background = false } = {}): Promise<boolean> {
  if (!background) await earlyBuild;
  const hash = hashSources();
  if (isBuilt(hash)) return true;
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  const { ok } = await runTool(tool.next, ['build'], env, { background });
  if (ok) recordBuild(hash);
  return ok;
}

async function system(filter: Filter, environment: Environment): Promise<Count> {
  return (await build()) ? vitest('system', filter, environment) : oneCheck(false);
}

async function browser(filter: Filter, environment: Environment): Promise<Count> {
  if (!(await build())) return oneCheck(false);
  const report = freshReport('browser');
  let executable: string;
  try {
    executable = await findBrowser(print);
  } catch (error) {
    printError(describe(error));
    return oneCheck(false);
  }
  const args = ['test', '--config', inCheckout('e2e', 'playwright.config.ts'), '--reporter=list,json'];
  const chosen = [...(filter.name ? ['--grep', filter.name] : []), ...(filter.files ? [filter.files] : [])];
  const { ok } = await runTool(tool.playwright, [...args, ...chosen], {
    ...environment,
    PAIDONCE_BROWSER: executable,
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
  });
  return countPlaywright(report, ok);
}

// In this order, so that the checks that take seconds fail before those that take minutes.
export const parts = {
  lint,
  types,
  unit: (filter: Filter, environment: Environment) => vitest('unit', filter, environment),
  db: (filter: Filter, environment: Environment) => vitest('db', filter, environment),
  system,
  browser,
} as const;

export type Part = keyof typeof parts;
export const partNames = Object.keys(parts) as Part[];
