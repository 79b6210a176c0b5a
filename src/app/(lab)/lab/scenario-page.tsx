import { notFound } from 'next/navigation';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { ApiProvider } from '#app/trpc/provider.tsx';
import { serverApi } from '#app/trpc/server.ts';
import { LabPage } from './lab-page.tsx';
import { LabStage } from './lab-stage.tsx';

/** A run's address without a seed has this one. */
const defaultSeed = 7;

/** A scenario, with the seed and the cut of the address: the same address is the same run. */
export async function ScenarioPage({
  name,
  search,
}: {
  name: string;
  search: { seed?: string; cut?: string };
}) {
  const api = await serverApi();
  const scenarios = await orNotFound(api.lab.scenarios());
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) notFound();
  const seed = Number(search.seed);
  const cut = scenario.cutPoints.find((point) => point === search.cut);
  return (
    <LabPage scenarios={scenarios} current={name} title={scenario.title} text={scenario.story}>
      <ApiProvider>
        <LabStage
          key={name}
          scenario={scenario}
          seed={Number.isInteger(seed) && seed >= 1 && seed <= 999_999 ? seed : defaultSeed}
          cut={cut}
        />
      </ApiProvider>
    </LabPage>
  );
}
