import { existsSync, readFileSync } from 'node:fs';

export type Count = { passed: number; failed: number };

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};

type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number }; errors: unknown[] };

function read<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

// A run can fail without a failed test: a file does not load, a set-up throws, a rejection is unhandled. A run without any
// test proves nothing. Each of these counts as one failure.
function countHiddenFailure({ passed, failed }: Count, ok: boolean): Count {
  const isHidden = failed === 0 && (!ok || passed === 0);
  return { passed, failed: isHidden ? 1 : failed };
}

export function countVitest(file: string, ok: boolean): Count {
  const report = read<VitestReport>(file);
  if (!report) return { passed: 0, failed: 1 };
  const unloaded = report.testResults.filter(
    (r) => r.status === 'failed' && r.assertionResults.length === 0,
  ).length;
  return countHiddenFailure({ passed: report.numPassedTests, failed: report.numFailedTests + unloaded }, ok);
}

export function countPlaywright(file: string, ok: boolean): Count {
  const report = read<PlaywrightReport>(file);
  if (!report) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky } = report.stats;
  return countHiddenFailure({ passed: expected, failed: unexpected + flaky }, ok);
}
