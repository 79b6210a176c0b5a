'use client';

import { useRef, useState } from 'react';
import { Notice } from '#ui/notice.tsx';

/** What is wrong with a form as a whole, said above it; whoever sent it is taken there. */
export function useComplaint() {
  const [problem, setProblem] = useState<string>();
  const alert = useRef<HTMLDivElement>(null);
  return {
    complain(words: string) {
      setProblem(words);
      // After the render, so that the words are there when the focus arrives.
      requestAnimationFrame(() => alert.current?.focus());
    },
    withdraw: () => setProblem(undefined),
    complaint: (
      <div ref={alert} tabIndex={-1} role="alert" className="rounded-xl outline-none">
        {problem && <Notice tone="danger" title={problem} />}
      </div>
    ),
  };
}
