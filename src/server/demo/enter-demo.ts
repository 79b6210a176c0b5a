import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Env } from '../env.ts';
import { isFromThisMachine } from '../observability/admission.ts';
import type { Services } from '../services.ts';

interface DemoFile {
  readonly tenants: readonly {
    readonly people: readonly { readonly role: string; readonly email: string; readonly password: string }[];
  }[];
}

/** Only on the embedded default, and only from this machine. */
export function mayEnterDemo(settings: Pick<Env, 'demo' | 'HOST' | 'PUBLIC_URL'>, headers: Headers): boolean {
  return settings.demo && isFromThisMachine(settings, headers);
}

/** Signs in with the demo's own login for a role, as its password would. Undefined: there is none, or it is not allowed. */
export async function enterDemo(
  { settings, auth }: Pick<Services, 'settings' | 'auth'>,
  request: Request,
  role: string,
): Promise<{ readonly cookies: readonly string[] } | undefined> {
  // A form of another site must not sign anyone in.
  if (
    !mayEnterDemo(settings, request.headers) ||
    request.headers.get('origin') !== new URL(settings.PUBLIC_URL).origin
  ) {
    return undefined;
  }
  const file = JSON.parse(await readFile(path.join(settings.DATA_DIR, 'demo.json'), 'utf8')) as DemoFile;
  const person = file.tenants[0]?.people.find((one) => one.role === role);
  if (!person) return undefined;
  const { handler } = await auth();
  const response = await handler(
    new Request(`${settings.PUBLIC_URL}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: settings.PUBLIC_URL },
      body: JSON.stringify({ email: person.email, password: person.password }),
    }),
  );
  return response.ok ? { cookies: response.headers.getSetCookie() } : undefined;
}
