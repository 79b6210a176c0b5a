import type { Metadata } from 'next';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { ScenarioPage } from '../scenario-page.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  readonly params: Promise<{ scenario: string }>;
  readonly searchParams: Promise<{ seed?: string; cut?: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ scenario }, api] = await Promise.all([params, serverApi()]);
  const scenarios = await orNotFound(api.lab.scenarios());
  const found = scenarios.find(({ name }) => name === scenario);
  return { title: `${found?.title ?? 'No such scenario'} · Lab` };
}

export default async function LabScenarioPage(props: Props) {
  const [{ scenario }, search] = await Promise.all([props.params, props.searchParams]);
  return <ScenarioPage name={scenario} search={search} />;
}
