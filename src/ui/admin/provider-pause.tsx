import { When } from './when.tsx';

/** The provider has asked for a pause. Only automatic checks wait; webhooks and new payments do not. */
export function ProviderPause({ until }: { until: string }) {
  return (
    <>
      The provider has asked for a pause: no automatic check is made before <When at={until} precise />.
      Webhooks and new payments continue.
    </>
  );
}
