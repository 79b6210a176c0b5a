import { inCheckout } from './checkout.ts';
import { canBuildBeside, chooseParts } from './suite/choose.ts';
import { buildEarly, partNames, parts } from './suite/parts.ts';
import { wasInterrupted } from './suite/run-tool.ts';
import { withScratchDirectory } from './suite/scratch-directory.ts';
import { bold, print, runCommand } from './terminal.ts';

const help = `Usage: npm test                    everything
       npm test -- <part>          one part: ${partNames.join(', ')}
       npm test -- <part of path>  the test files whose path contains it, for example: npm test -- payments/money
       npm test -- <test name>     the tests whose name contains it

The browser part uses PAIDONCE_BROWSER; without it a headless shell of Chromium, downloaded once if the machine has none, or any
Chromium or Chrome.
Databases and other temporary files are in TMPDIR; without it in /dev/shm, if 6 GB of memory are free.
The last line is "N passed, N failed".`;

/** Node keeps compiled code here, for the hundreds of processes that a run starts, and for the next run. */
const compileCache = inCheckout('node_modules', '.cache', 'paidonce', 'compiled');

await runCommand(help, async (args) => {
  const { generateClient } = await import('./prisma-client.ts');
  await generateClient();
  const total = { passed: 0, failed: 0 };
  await withScratchDirectory(async (scratch) => {
    const environment = { NODE_COMPILE_CACHE: compileCache, ...scratch };
    const choices = chooseParts(args);
    for (const [index, { part, filter }] of choices.entries()) {
      print(bold(`\n${part}`));
      const after = choices.slice(index + 1).map((later) => later.part);
      if (canBuildBeside(part, after)) buildEarly();
      const startedAt = performance.now();
      const { passed, failed } = await parts[part](filter, environment);
      if (wasInterrupted()) break;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      print(`${part}: ${passed} passed, ${failed} failed in ${seconds} s`);
      total.passed += passed;
      total.failed += failed;
    }
  });
  if (wasInterrupted()) {
    process.exitCode = 130;
    return;
  }
  print('');
  print(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0) process.exitCode = 1;
});
