import { startWorker } from '#jobs/worker.ts';

/** The process that works in the background. It ends when it is told to, and when whoever started it is gone. */
const worker = await startWorker();
process.send?.({ type: 'ready' });

for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.once(signal, async () => {
    await worker.stop();
    process.exit(0);
  });
}
