import path from 'node:path';
import { showBanner } from './banner.ts';
import { acquireDataDirectory } from './data-directory.ts';
import type { LaunchConfig } from './launch-config.ts';
import { PlainError } from './plain-error.ts';
import { step } from './progress.ts';
import { readSettings } from './read-settings.ts';
import { loadSecrets } from './secrets.ts';
import {
  buildApp,
  checkPorts,
  migrate,
  openDatabases,
  openDataDirectory,
  seed,
  startProcesses,
} from './start-up.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { Supervisor } from './supervisor.ts';
import { print, runCommand, yellow } from './terminal.ts';

const help = `Usage: npm start            run everything: PostgreSQL, sandbox, worker, shop
       npm run dev          the same with hot reload
       npm run reset        delete the data

Settings come from the environment or .env; .env.example lists them all.
Logs are in .data/logs. Ctrl-C stops everything.`;

async function open(dev: boolean): Promise<{
  config: Omit<LaunchConfig, 'databaseUrl' | 'directUrl' | 'sandboxDatabaseUrl'>;
  supervisor: Supervisor;
}> {
  return step('settings', async () => {
    const settings = readSettings();
    openDataDirectory(settings.DATA_DIR);
    const runFile = path.join(settings.DATA_DIR, 'run.json');
    const record = await acquireDataDirectory(runFile, print);
    const logDirectory = path.join(settings.DATA_DIR, 'logs');
    const supervisor = new Supervisor({
      runFile,
      record,
      logDirectory,
      print: (line) => print(yellow(line)),
    });
    try {
      await checkPorts(settings);
      return {
        config: { settings, secrets: loadSecrets(path.join(settings.DATA_DIR, 'secrets.json')), dev },
        supervisor,
      };
    } catch (error) {
      await supervisor.stop();
      throw error;
    }
  });
}

async function start(args: string[]): Promise<void> {
  const unknown = args.find((arg) => arg !== '--dev');
  if (unknown !== undefined) throw new PlainError(`"${unknown}" is not an option; --help lists them.`);
  process.title = 'paidonce supervisor';
  const startedAt = performance.now();
  const { config: opened, supervisor } = await open(args.includes('--dev'));

  const isStopping = stopOnSignals(supervisor, print);
  try {
    const config = { ...opened, ...(await openDatabases(supervisor, opened.settings, opened.secrets)) };
    await Promise.all([migrate(config.directUrl), buildApp(supervisor, config.dev)]);
    const [demo] = await Promise.all([seed(config), startProcesses(supervisor, config)]);
    showBanner(config.settings, demo, ((performance.now() - startedAt) / 1000).toFixed(1));
  } catch (error) {
    await supervisor.stop();
    // A step that failed because of the stop is not a failure.
    if (!isStopping()) throw error;
  }
}

await runCommand(help, start);
