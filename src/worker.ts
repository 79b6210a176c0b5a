import { startWorker } from '#jobs/worker.ts';

/** The process for background jobs. It ends on a signal, and when its parent process is gone. */
const worker = await startWorker();
process.send?.({ type: 'ready' });

for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.once(signal, async () => {
    await worker.stop();
    process.exit(0);
  });
}
