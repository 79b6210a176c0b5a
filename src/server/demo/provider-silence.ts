import { z } from 'zod';

const silenceResponse = z.object({ seconds: z.number() });
/** The control API is on this machine and does little. */
const timeoutMs = 2_000;

/** For this long the sandbox executes the requests about one payment without responding. */
export async function silenceProvider(sandboxUrl: string, reference: string, seconds: number): Promise<void> {
  const response = await fetch(new URL('/_sandbox/silence', sandboxUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reference, seconds }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`The sandbox's control API responded with ${response.status}.`);
}

/** How long the silence still lasts; 0 when there is none. */
export async function silentForMs(sandboxUrl: string, reference: string): Promise<number> {
  const url = new URL('/_sandbox/silence', sandboxUrl);
  url.searchParams.set('reference', reference);
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`The sandbox's control API responded with ${response.status}.`);
  return silenceResponse.parse(await response.json()).seconds * 1000;
}
