import { z } from 'zod';

const told = z.object({ seconds: z.number() });
/** The control door is on this machine and does one small thing. */
const patienceMs = 2_000;

/** The sandbox does what it is asked about one payment and says nothing, for this long. */
export async function silenceProvider(sandboxUrl: string, reference: string, seconds: number): Promise<void> {
  const response = await fetch(new URL('/_sandbox/silence', sandboxUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reference, seconds }),
    signal: AbortSignal.timeout(patienceMs),
  });
  if (!response.ok) throw new Error(`The sandbox's control door answered ${response.status}.`);
}

/** How long it goes on being silent; 0 when it is not. */
export async function silentForMs(sandboxUrl: string, reference: string): Promise<number> {
  const url = new URL('/_sandbox/silence', sandboxUrl);
  url.searchParams.set('reference', reference);
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
  if (!response.ok) throw new Error(`The sandbox's control door answered ${response.status}.`);
  return told.parse(await response.json()).seconds * 1000;
}
