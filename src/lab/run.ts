import { randomUUID } from 'node:crypto';
import type { CutPoint } from '#faults/index.ts';
import { type OperationRef, operationRefOf } from '#idempotency/index.ts';
import { isKept, promiseOf } from './expectations.ts';
import type { LabParts, LabTenant } from './lab.ts';
import type { LaneServers } from './lane-servers.ts';
import type { Charge } from './ledger.ts';
import type { LogEntry } from './log.ts';
import { type LanePlay, laneOperation, playLane } from './play-lane.ts';
import { type LaneView, type RunVerdict, type RunView, verdictSentence } from './run-view.ts';
import { type KeyName, type LaneName, laneNames, type Scenario } from './scenario.ts';
import { seeded } from './seed.ts';
import { arrange, type TraceEvent } from './trace.ts';
import { drawEntry } from './trace-log.ts';
import { traceOfProvider, traceOfRecord } from './trace-sources.ts';

/** Longer than the slowest scenario takes on a busy machine. */
const deadlineMs = 90_000;
/** A page that polls does not make the database and the sandbox work more often than this. */
const snapshotMs = 250;

export interface RunRequest {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly cut: CutPoint | undefined;
}

/** One run of a scenario: both lanes at the same time, with the same seed and the same fault. */
export class Run {
  readonly id = randomUUID();
  readonly #request: RunRequest;
  readonly #parts: LabParts;
  readonly #tenant: LabTenant;
  #startMs = Date.now();
  #endMs: number | undefined;
  #status: RunView['status'] = 'running';
  #error: string | null = null;
  readonly #logs: Record<LaneName, LogEntry[]> = { protected: [], naive: [] };
  #snapshot: { atMs: number; view: Promise<RunView> } | undefined;

  constructor(request: RunRequest, parts: LabParts, tenant: LabTenant) {
    this.#request = request;
    this.#parts = parts;
    this.#tenant = tenant;
  }

  get isRunning(): boolean {
    return this.#status === 'running';
  }

  /** Never rejects: a run that fails says so in its view. */
  async play(servers: Record<LaneName, LaneServers>): Promise<void> {
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      await Promise.all(
        laneNames.map((lane) =>
          servers[lane].prepare(this.#request.scenario, this.#fault(), (entry) =>
            this.#logs[lane].push(entry),
          ),
        ),
      );
      this.#startMs = Date.now();
      await Promise.all(laneNames.map((lane) => playLane(this.#playOf(lane, servers[lane], deadline))));
      this.#status = 'finished';
    } catch (error) {
      this.#status = 'failed';
      this.#error = deadline.aborted
        ? 'It did not end in time.'
        : error instanceof Error
          ? error.message
          : String(error);
    } finally {
      this.#endMs = Date.now();
      this.#snapshot = undefined;
      // After a failure the servers may still be busy with this run, so the next one gets new ones.
      for (const lane of laneNames) {
        if (this.#status === 'failed') servers[lane].stop();
        else servers[lane].rest();
      }
    }
  }

  view(): Promise<RunView> {
    const nowMs = Date.now();
    const last = this.#snapshot;
    if (last && (!this.isRunning || nowMs - last.atMs < snapshotMs)) return last.view;
    const snapshot = { atMs: nowMs, view: this.#read() };
    this.#snapshot = snapshot;
    snapshot.view.catch(() => {
      if (this.#snapshot === snapshot) this.#snapshot = undefined;
    });
    return snapshot.view;
  }

  /** How many clients of this run got the stored response of a key. */
  replaysOf(key: string): number {
    return this.#keyNames().some((name) => this.#keyOf(name) === key)
      ? this.#replays((entry) => this.#keyOf(entry.key) === key)
      : 0;
  }

  #fault() {
    const { scenario, cut } = this.#request;
    return scenario.fault && { ...scenario.fault, at: cut ?? scenario.fault.at };
  }

  #keyNames(): KeyName[] {
    const named = this.#request.scenario.steps.flatMap((step) => ('keys' in step ? (step.keys ?? []) : []));
    return [...new Set<KeyName>(['A', ...named])];
  }

  #keyOf(name: KeyName): string {
    return `lab-${this.id}-${name}`;
  }

  #referenceOf(lane: LaneName): string {
    return `lab-${this.id}-${lane}`;
  }

  #playOf(lane: LaneName, servers: LaneServers, signal: AbortSignal): LanePlay {
    const { scenario, seed } = this.#request;
    const { db, store, reconciler, ledger, appUrl } = this.#parts;
    return {
      ...{ lane, scenario, servers, signal, db, store, reconciler, ledger, appUrl },
      ...this.#tenant,
      fault: this.#fault(),
      seeded: seeded(seed),
      reference: this.#referenceOf(lane),
      keyOf: (name) => this.#keyOf(name),
      log: (entry) => this.#logs[lane].push(entry),
    };
  }

  async #read(): Promise<RunView> {
    const { scenario, seed, cut } = this.#request;
    const status = this.#status;
    const [ours, naive] = await Promise.all([this.#readLane('protected'), this.#readLane('naive')]);
    const lanes = { protected: ours, naive };
    return {
      id: this.id,
      scenario: scenario.name,
      seed,
      cut: cut ?? scenario.fault?.at ?? null,
      status,
      error: this.#error,
      elapsedMs: (this.#endMs ?? Date.now()) - this.#startMs,
      lanes,
      verdict: status === 'finished' ? this.#verdictOn(lanes) : null,
    };
  }

  async #readLane(lane: LaneName): Promise<LaneView> {
    const { ledger, store } = this.#parts;
    const { tenantId } = this.#tenant;
    const reference = this.#referenceOf(lane);
    const names = lane === 'protected' ? this.#keyNames() : [];
    const [charges, activity, records] = await Promise.all([
      ledger.chargesFor(lane === 'protected' ? tenantId : undefined, reference),
      ledger.activityFor(reference),
      Promise.all(names.map((name) => store.findById(this.#refOf(name)))),
    ]);
    const succeeded = charges.filter(({ status }) => status === 'succeeded');
    const keys = names.map((name, index) => ({
      name,
      key: this.#keyOf(name),
      status: records[index]?.status ?? null,
    }));
    const fromProvider = traceOfProvider(activity, charges, lane, this.#startMs);
    return {
      charges: succeeded.map(({ id, amount }) => ({ id, amountMinor: amount })),
      totalMinor: sum(succeeded),
      expected: promiseOf(this.#request.scenario, lane, this.#request.cut).charges,
      keys,
      replays: this.#replays(() => lane === 'protected'),
      trace: arrange([...(await this.#ownTrace(lane, names)), ...fromProvider]),
    };
  }

  async #ownTrace(lane: LaneName, names: readonly KeyName[]): Promise<TraceEvent[]> {
    const ofRecords = names.map((name) =>
      traceOfRecord(this.#parts.db, this.#refOf(name), name, this.#startMs),
    );
    const drawn = this.#logs[lane].map((entry) => drawEntry(entry, this.#startMs, lane));
    return [...(await Promise.all(ofRecords)).flat(), ...drawn.filter((event) => event !== undefined)];
  }

  #replays(isCounted: (entry: { key: KeyName }) => boolean): number {
    return this.#logs.protected.filter(
      (entry) => entry.what === 'responded' && entry.replayed && isCounted(entry),
    ).length;
  }

  #refOf(name: KeyName): OperationRef {
    const { tenantId } = this.#tenant;
    return operationRefOf({ tenantId, operation: laneOperation, key: this.#keyOf(name) });
  }

  #verdictOn(lanes: RunView['lanes']): RunVerdict {
    const { scenario, cut } = this.#request;
    const promise = promiseOf(scenario, 'protected', cut);
    const recordOfA = lanes.protected.keys[0]?.status ?? null;
    const isStuck = lanes.protected.keys.some(
      ({ status }) => status === 'in_progress' || status === 'unknown',
    );
    const kept =
      isKept(promise, lanes.protected.charges.length) &&
      (promise.record === undefined || promise.record === recordOfA) &&
      !isStuck;
    const naiveAsExpected = isKept(promiseOf(scenario, 'naive', cut), lanes.naive.charges.length);
    return { kept, naiveAsExpected, sentence: verdictSentence(lanes, kept) };
  }
}

function sum(charges: readonly Charge[]): number {
  return charges.reduce((total, { amount }) => total + amount, 0);
}
