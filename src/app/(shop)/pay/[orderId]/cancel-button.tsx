import { useEffect, useRef } from 'react';
import { Button } from '#ui/button.tsx';

/** Shown while the payment waits for the shopper at their bank. */
export function CancelButton({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  const pressed = useRef(false);
  // The button is gone once the payment is cancelled. The cards take the focus, and not Pay: a second press would pay.
  useEffect(
    () => () => {
      if (pressed.current) document.getElementById('card')?.focus();
    },
    [],
  );
  function onClick() {
    pressed.current = true;
    onCancel();
  }
  return (
    <Button tone="quiet" className="w-full" busy={busy} onClick={onClick}>
      Cancel and use another card
    </Button>
  );
}
