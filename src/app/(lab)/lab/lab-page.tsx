import type { ReactNode } from 'react';
import type { LabScenario } from '#ui/lab/lab-copy.ts';
import { ScenarioNav } from '#ui/lab/scenario-nav.tsx';
import { PageShell } from '#ui/page-shell.tsx';

/** A page of the lab: the scenarios beside its content. */
export function LabPage(props: {
  scenarios: readonly LabScenario[];
  current: string | null;
  title: string;
  text: string;
  children: ReactNode;
}) {
  return (
    <PageShell wide>
      <div className="grid gap-8 lg:grid-cols-[14rem_minmax(0,1fr)] lg:gap-12">
        <ScenarioNav scenarios={props.scenarios} current={props.current} />
        <div className="min-w-0">
          <p className="font-medium text-ink-faint text-sm">The fault lab</p>
          <h1 className="mt-1 font-semibold text-3xl tracking-[-0.03em] sm:text-4xl">{props.title}</h1>
          <p className="mt-3 max-w-[64ch] text-ink-soft text-lg leading-7">{props.text}</p>
          {props.children}
        </div>
      </div>
    </PageShell>
  );
}
