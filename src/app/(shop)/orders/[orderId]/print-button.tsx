'use client';

import { Printer } from 'lucide-react';
import { Button } from '#ui/button.tsx';

export function PrintButton() {
  return (
    <Button tone="quiet" size="small" className="-mr-3 print:hidden" onClick={() => window.print()}>
      <Printer className="size-4" aria-hidden="true" />
      Print
    </Button>
  );
}
