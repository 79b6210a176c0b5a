import type { Metadata } from 'next';
import { ScenarioPage } from './scenario-page.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Lab' };

export default function LabStartPage() {
  return <ScenarioPage name="double-click" search={{}} />;
}
