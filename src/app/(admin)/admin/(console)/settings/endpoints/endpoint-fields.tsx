'use client';

import { useState } from 'react';
import { CheckField } from '#ui/check-field.tsx';
import { TextField } from '#ui/text-field.tsx';
import { type Endpoint, type EventType, eventCopy } from './event-copy.ts';

/** The fields of an endpoint, for a new one and for one that is changed. `id` makes those of several forms distinct. */
export function EndpointFields(props: {
  id: string;
  eventTypes: readonly EventType[];
  endpoint?: Pick<Endpoint, 'url' | 'description' | 'eventTypes'>;
}) {
  const { id, endpoint } = props;
  const chosen = endpoint?.eventTypes ?? [];
  const [all, setAll] = useState(chosen.length === 0);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          id={`${id}-url`}
          name="url"
          type="url"
          label="Address"
          placeholder="https://shop.example/hooks"
          autoComplete="off"
          defaultValue={endpoint?.url}
          required
        />
        <TextField
          id={`${id}-description`}
          name="description"
          label="Description (optional)"
          placeholder="Accounting"
          autoComplete="off"
          maxLength={200}
          defaultValue={endpoint?.description}
        />
      </div>
      <fieldset>
        <legend className="font-medium text-sm">Events</legend>
        <CheckField
          id={`${id}-all`}
          name="all"
          label="All events"
          hint="Also those that are added in a later version."
          checked={all}
          onChange={(event) => setAll(event.target.checked)}
        />
        {!all && (
          <div className="grid gap-x-6 sm:grid-cols-2">
            {props.eventTypes.map((type) => (
              <CheckField
                key={type}
                id={`${id}-${type}`}
                name={type}
                label={eventCopy[type]}
                hint={type}
                defaultChecked={chosen.includes(type)}
              />
            ))}
          </div>
        )}
      </fieldset>
    </>
  );
}

export function readEndpointFields(form: HTMLFormElement, eventTypes: readonly EventType[]) {
  const data = new FormData(form);
  return {
    url: String(data.get('url')).trim(),
    description: String(data.get('description')).trim(),
    eventTypes: data.has('all') ? null : eventTypes.filter((type) => data.has(type)),
  };
}
