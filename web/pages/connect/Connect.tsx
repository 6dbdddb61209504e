import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { TOOL_IDS, type ToolId, TOOLS } from './tools.ts';
import { ToolSteps } from './ToolSteps.tsx';

const route = getRouteApi('/w/$workspace/connect');
const FIRST = 'zapier';
const isOther = (id: ToolId): id is Exclude<ToolId, typeof FIRST> => id !== FIRST;

export function Connect() {
  const { tool: id = FIRST } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Connect"
        description="Let another tool send, shorten and publish with your workspace, and have it told what happens here."
      />
      <Tabs
        value={id}
        onChange={(value) => {
          const tool = TOOL_IDS.filter(isOther).find((one) => one === value);
          void navigate({ search: tool ? { tool } : {}, replace: true });
        }}
        mb="lg"
      >
        <Tabs.List>
          {TOOL_IDS.map((tool) => (
            <Tabs.Tab key={tool} value={tool}>
              {TOOLS[tool].name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <ToolSteps key={id} tool={TOOLS[id]} />
    </>
  );
}
