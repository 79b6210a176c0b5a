import { cutPoints } from '#faults/index.ts';
import type { RunView } from '#lab/index.ts';
import { cutPointsOf } from '#lab/scenario.ts';
import { scenarios } from '#lab/scenarios.ts';
import { readLabArgs } from './lab-args.ts';
import { openInstallation } from './lab-installation.ts';
import { runInLab } from './lab-run.ts';
import { bold, dim, green, print, red, runCommand, showStatus, yellow } from './terminal.ts';

const help = `Usage: npm run lab -- --list
       npm run lab -- double-click --seed 7
       npm run lab -- server-killed --cut before_commit
       npm run lab -- all --json

Runs failures for real, with and without Paidonce, as the page /lab does. It uses the installation that "npm start" runs, or
starts one of its own for as long as it takes. It exits with 1 if the protected lane breaks its promise or a run does not
finish, and with 2 if it does not understand its arguments or there is no lab here.

  --list   print the scenarios
  --seed   from 1 to 999999; the same seed has the same amounts and pauses (default 7)
  --cut    where the fault strikes, in scenarios that have one: ${cutPoints.slice(0, 4).join(', ')},
           ${cutPoints.slice(4).join(', ')}
  --json   print the results, or the list, as JSON`;

function printList(json: boolean): void {
  const listed = scenarios.map((scenario) => {
    const { name, title, story, promise } = scenario;
    return { name, title, story, cuts: cutPointsOf(scenario), promise };
  });
  if (json) {
    print(JSON.stringify(listed, null, 2));
    return;
  }
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  for (const { name, story } of listed) print(`${bold(name.padEnd(width))}  ${story}`);
}

async function lab(args: string[]): Promise<void> {
  const { list, json, seed, runs: asked } = readLabArgs(args);
  if (list) return printList(json);
  const installation = await openInstallation();
  const runs: RunView[] = [];
  try {
    for (const [index, { scenario, cut }] of asked.entries()) {
      const { name } = scenario;
      showStatus(`  … ${name} (${index + 1} of ${asked.length})`);
      const run = await runInLab(installation.url, { scenario: name, seed, ...(cut && { cut }) });
      showStatus('');
      runs.push(run);
      if (!json) printRun(run);
    }
  } finally {
    await installation.close();
  }
  const kept = runs.filter(isKept).length;
  if (json) print(JSON.stringify(runs.map(summarise), null, 2));
  else if (runs.length > 1) print(`\n${kept} kept, ${runs.length - kept} broken`);
  if (kept < runs.length) process.exitCode = 1;
}

function isKept({ verdict }: RunView): boolean {
  return verdict?.kept === true;
}

function printRun(run: RunView): void {
  const seconds = `${(run.elapsedMs / 1000).toFixed(1)} s`.padStart(7);
  const text = run.verdict?.sentence ?? `It did not finish: ${run.error}`;
  print(`${isKept(run) ? green('✓') : red('✗')} ${run.scenario.padEnd(22)} ${dim(seconds)}  ${text}`);
  if (run.verdict && !run.verdict.naiveAsExpected) {
    print(
      yellow(
        '  The lane without Paidonce did not behave as the scenario says; run it again on an idle machine.',
      ),
    );
  }
}

function summarise({ scenario, seed, cut, status, error, elapsedMs, lanes, verdict }: RunView) {
  const laneOf = ({ charges, totalMinor, expected }: RunView['lanes']['protected']) => ({
    charges: charges.length,
    totalMinor,
    expected,
  });
  return {
    ...{ scenario, seed, cut, status, error, elapsedMs },
    kept: verdict?.kept ?? false,
    naiveAsExpected: verdict?.naiveAsExpected ?? false,
    sentence: verdict?.sentence ?? null,
    protected: laneOf(lanes.protected),
    naive: laneOf(lanes.naive),
  };
}

await runCommand(help, lab);
