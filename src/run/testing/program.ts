import { type ChildProcess, spawn } from 'node:child_process';
import { inCheckout } from '#run/checkout.ts';
import { childEnvironment } from './child-environment.ts';

export type Program = {
  child: ChildProcess;
  output(): string;
  // Resolves when the program has printed the text, rejects when it ends without.
  printed(text: string | RegExp): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

// Starts one of our commands as npm does, without the environment of the test run.
export function startProgram(file: string, args: string[] = [], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [inCheckout('src', 'run', file), ...args], {
    env: { NODE_ENV: 'production', ...childEnvironment(), HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
      for (const listen of listeners) listen();
    });
  }
  const ended: Program['ended'] = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      for (const listen of listeners) listen();
      resolve({ code, signal });
    });
  });
  const printed: Program['printed'] = (text) =>
    new Promise((resolve, reject) => {
      const listen = () => {
        if (typeof text === 'string' ? output.includes(text) : text.test(output)) resolve();
        else if (child.exitCode !== null || child.signalCode !== null)
          reject(new Error(`It ended with:\n${output}`));
      };
      listeners.add(listen);
      listen();
    });
  return { child, output: () => output, printed, ended };
}
