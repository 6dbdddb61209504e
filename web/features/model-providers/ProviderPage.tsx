/** The page of one model provider: its state, its models with their prices, its settings and actions. */
import { Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconAlertTriangle, IconPlugConnected } from '@tabler/icons-react';
import { Suspense, useEffect, useEffectEvent } from 'react';
import atoms from '../../design/atoms.module.css';
import { useLiveEvents } from '../../api/live-events.ts';
import { modelProviderQuery, modelProvidersKey, refreshModelProviders } from '../../api/model-providers.ts';
import type { ModelProvider } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone } from '../../design/notify.ts';
import ui from '../../design/ui.module.css';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { DetailHeader, DetailPage } from '../../patterns/DetailPage.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { StateAlert } from '../../patterns/StateAlert.tsx';
import { AllowLine } from './AllowLine.tsx';
import { ProviderState } from './provider-columns.tsx';
import { ProviderModels } from './ProviderModels.tsx';
import { TestResult } from './TestResult.tsx';
import { useProviderActions, useProviderTest } from './use-provider-actions.ts';

const ProviderDetails = lazily(() => import('./ProviderDetails.tsx'), 'ProviderDetails');

const route = getRouteApi('/w/$workspace/model-providers/$id');

const BACK = { label: t('Model providers'), to: '/w/$workspace/model-providers' } as const;

export function ProviderPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  return (
    <DetailPage query={useQuery(modelProviderQuery(workspace.id, id))} noun={t('Model provider')} back={BACK}>
      {(provider) => <Loaded key={provider.id} provider={provider} />}
    </DetailPage>
  );
}

function Loaded({ provider }: { provider: ModelProvider }) {
  const { workspace } = useWorkspace();
  const write = useCan('providers:write');
  const { tab, test: wantsTest } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const refresh = () => void refreshModelProviders(client, workspace.id);
  useLiveEvents(workspace.id, 'model_provider.*', refresh);
  const test = useProviderTest();
  const runTest = () => test.mutate(provider.id);
  const { actions, run, dialogs } = useActions(useProviderActions(runTest), async (_provider, { isGone }) => {
    if (isGone) {
      notifyDone(t('Provider deleted'));
      await navigate({ to: '/w/$workspace/model-providers', params: { workspace: workspace.slug } });
      // Only after leaving the page: a mounted query would be fetched again.
      client.removeQueries({ queryKey: [...modelProvidersKey(workspace.id), 'one', provider.id] });
    }
    refresh();
  });
  const failure = test.data || test.isPending ? null : provider.last_error;
  const startTest = useEffectEvent(() => {
    runTest();
    void navigate({ search: ({ test: _test, ...others }) => others, replace: true });
  });
  // A provider that was just created is tested.
  useEffect(() => {
    if (wantsTest) startTest();
  }, [wantsTest]);
  return (
    <>
      <DetailHeader
        back={BACK}
        title={provider.name}
        status={<ProviderState provider={provider} />}
        description={<span className={`${ui.mono} ${atoms.breaks}`}>{provider.base_url}</span>}
      >
        <ActionButtons
          record={provider}
          of={provider.name}
          actions={failure ? actions.filter(({ id }) => id !== 'test') : actions}
        />
      </DetailHeader>
      <TestResult test={test} />
      {failure && (
        <StateAlert
          tone="bad"
          icon={IconAlertTriangle}
          title={t('Calls to this provider are failing')}
          action={write && { label: t('Test again'), icon: IconPlugConnected, run: runTest }}
        >
          {failure.detail}
          <AllowLine text={failure.detail} />
        </StateAlert>
      )}
      <Tabs
        value={tab ?? 'models'}
        onChange={(value) =>
          void navigate({ search: value === 'settings' ? { tab: 'settings' } : {}, replace: true })
        }
        mb="sm"
      >
        <Tabs.List>
          <Tabs.Tab value="models">{t('Models')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('Settings')}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'settings' ? (
        <Suspense>
          <ProviderDetails provider={provider} />
        </Suspense>
      ) : (
        <ProviderModels provider={provider} onRefresh={write ? () => run('refresh', provider) : undefined} />
      )}
      {dialogs}
    </>
  );
}
