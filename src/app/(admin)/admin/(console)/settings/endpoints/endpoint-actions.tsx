'use client';

import { useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Confirm } from '#ui/admin/confirm.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import type { Endpoint } from './event-copy.ts';

export function EndpointActions(props: {
  endpoint: Endpoint;
  isOwner: boolean;
  mayTest: boolean;
  secondFactor: boolean;
  onChanged: () => Promise<void>;
  onEdit: () => void;
  /** With the id of the test's delivery. */
  onTest: (deliveryId: string) => void;
  onSecret: (secret: string) => void;
  onSwitched: () => void;
}) {
  const { id, url, disabledAt } = props.endpoint;
  const test = useCommand(
    useTRPC().webhookEndpoints.sendTest.mutationOptions({
      onSuccess: ({ deliveryId }) => props.onTest(deliveryId),
    }),
  );
  return (
    <>
      <div className="mt-3 -ml-3.5 flex flex-wrap items-start gap-1">
        {props.mayTest && !disabledAt && (
          <Button
            tone="quiet"
            size="small"
            busy={test.busy}
            aria-label={`Send a test to ${url}`}
            onClick={() => test.run({ id })}
          >
            Send a test
          </Button>
        )}
        {props.isOwner && <OwnerActions {...props} />}
      </div>
      {test.failure && <InlineError>{test.failure}</InlineError>}
    </>
  );
}

function OwnerActions(props: Parameters<typeof EndpointActions>[0]) {
  const { endpoint, onChanged } = props;
  const { id, url, disabledAt } = endpoint;
  /** Makes a question that was answered a button again. */
  const [rotations, setRotations] = useState(0);
  const trpc = useTRPC().webhookEndpoints;
  const enable = useConfirmedCommand(
    props,
    trpc.enable.mutationOptions({ onSuccess: () => void onChanged().then(props.onSwitched) }),
  );
  const rotate = useConfirmedCommand(
    props,
    trpc.rotateSecret.mutationOptions({
      onSuccess: ({ secret }) => {
        setRotations((count) => count + 1);
        props.onSecret(secret);
        void onChanged();
      },
    }),
  );
  const remove = useConfirmedCommand(
    props,
    trpc.remove.mutationOptions({
      onSuccess: () => {
        document.getElementById('main')?.focus();
        void onChanged();
      },
    }),
  );
  const commands = [enable, rotate, remove];
  const busy = commands.some((command) => command.busy);
  const failure = commands.find((command) => command.failure)?.failure;

  return (
    <>
      <Button tone="quiet" size="small" aria-label={`Edit ${url}`} onClick={props.onEdit}>
        Edit
      </Button>
      {disabledAt ? (
        <Button
          tone="quiet"
          size="small"
          busy={busy}
          aria-label={`Enable ${url}`}
          onClick={() => enable.run({ id, enabled: true })}
        >
          Enable
        </Button>
      ) : (
        <Confirm
          action="Disable"
          label={`Disable ${url}`}
          question={`It gets no messages until it is enabled again. ${waitingCopy(endpoint)}`}
          yes="Yes, disable"
          no="Keep it enabled"
          busy={busy}
          onYes={() => enable.run({ id, enabled: false })}
        />
      )}
      <Confirm
        key={rotations}
        action="Rotate secret"
        label={`Rotate secret of ${url}`}
        question={
          endpoint.oldSecretUntil
            ? 'The secret before this one still signs, and stops at once. The present one signs for another day.'
            : 'You get a new secret. The present one signs for another day, beside the new one.'
        }
        yes="Yes, rotate"
        no="Keep it"
        busy={busy}
        onYes={() => rotate.run({ id })}
      />
      <Confirm
        action="Remove"
        label={`Remove ${url}`}
        question={`It gets no messages any more, and its secret is deleted. ${waitingCopy(endpoint)}`}
        yes="Yes, remove"
        busy={busy}
        onYes={() => remove.run({ id })}
      />
      {failure && (
        <div className="basis-full pl-3.5">
          <InlineError>{failure}</InlineError>
        </div>
      )}
      {enable.confirmation}
      {rotate.confirmation}
      {remove.confirmation}
    </>
  );
}

function waitingCopy({ waiting }: Endpoint): string {
  if (waiting === 0) return 'No message waits for it.';
  return waiting === 1
    ? 'One message waits for it and is not sent.'
    : `${waiting} messages wait for it and are not sent.`;
}
