'use client';

import { useRef, useState } from 'react';
import { Notice } from '#ui/notice.tsx';

/** An error of a form as a whole, shown above it; it takes the focus. */
export function useFormError() {
  const [problem, setProblem] = useState<string>();
  const alert = useRef<HTMLDivElement>(null);
  return {
    showError(message: string) {
      setProblem(message);
      // After the render, so that the message is there when it takes the focus.
      requestAnimationFrame(() => alert.current?.focus());
    },
    clearError: () => setProblem(undefined),
    errorNotice: (
      <div ref={alert} tabIndex={-1} role="alert" className="rounded-xl outline-none">
        {problem && <Notice tone="danger" title={problem} />}
      </div>
    ),
  };
}
