/**
 * Preloaded into a process (`node --import`) to give it a wrong clock, as a machine has whose time is not kept. Only what
 * `Date` says is moved: timers and `performance.now()` count on, as they do on such a machine.
 */
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + skewMs] : args, newTarget),
  apply: () => new Date().toString(),
  get: (target, name) => (name === 'now' ? () => RealDate.now() + skewMs : Reflect.get(target, name)),
});
