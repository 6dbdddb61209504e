import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { lazily } from '../../patterns/lazily.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { TOOL_IDS, TOOLS } from './tools.ts';

const ToolSteps = lazily(() => import('./ToolSteps.tsx'), 'ToolSteps');

const route = getRouteApi('/w/$workspace/connect');
const DEFAULT_TOOL = 'zapier';

export function Connect() {
  const { tool: id = DEFAULT_TOOL } = route.useSearch();
  return (
    <>
      <PageHeader
        title={t('Connect')}
        description={t(
          'Use Fairlead from other tools: send messages, shorten links, publish data, and receive events.',
        )}
      />
      <PageTabs
        tabs={TOOL_IDS.map((tool) => ({ value: tool, label: TOOLS[tool].name }))}
        value={id}
        param="tool"
        mb="lg"
      />
      <Suspense>
        <ToolSteps key={id} tool={TOOLS[id]} />
      </Suspense>
    </>
  );
}
