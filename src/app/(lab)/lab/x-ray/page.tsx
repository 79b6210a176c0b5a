import type { Metadata } from 'next';
import Link from 'next/link';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { KeyXRay } from '#ui/lab/key-x-ray.tsx';
import { Notice } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { LabPage } from '../lab-page.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Key X-ray' };

/** Works without JavaScript: the key is in the address. */
export default async function XRayPage(props: { searchParams: Promise<{ key?: string }> }) {
  const api = await serverApi();
  const [scenarios, { key: given }] = await Promise.all([
    orNotFound(api.lab.scenarios()),
    props.searchParams,
  ]);
  const key = typeof given === 'string' ? given.trim() : '';
  const usable = key.length >= 16 && key.length <= 255;
  const found = usable ? await api.lab.xRay({ key }) : null;
  return (
    <LabPage
      scenarios={scenarios}
      current={null}
      title="Key X-ray"
      text="Paste a key of a run to see the life of its record. Only keys of the lab are shown; those of the shops belong to their console."
    >
      <form method="get" className="mt-6 flex max-w-2xl flex-col gap-3 sm:flex-row sm:items-end">
        <div className="flex-1">
          <TextField
            id="key"
            name="key"
            label="Idempotency key"
            defaultValue={key}
            required
            minLength={16}
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
        <button type="submit" className={`${buttonStyle('primary')} min-h-12`}>
          X-ray
        </button>
      </form>
      <div className="mt-8">
        {found ? (
          <KeyXRay record={found} />
        ) : (
          <Notice tone="plain" title={titleFor(key, usable)} className="max-w-2xl">
            Each run links its keys when it is over. For one that was misused, run{' '}
            <Link href="/lab/other-amount" prefetch={false} className="underline underline-offset-4">
              Same key, another amount
            </Link>
            .
          </Notice>
        )}
      </div>
    </LabPage>
  );
}

function titleFor(key: string, usable: boolean): string {
  if (key === '') return 'No key yet.';
  return usable ? 'The lab has no record of this key.' : 'A key has from 16 to 255 characters.';
}
