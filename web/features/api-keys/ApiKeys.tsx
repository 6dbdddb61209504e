import { useInfiniteQuery, usePrefetchQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { apiKeyQuery, apiKeysQuery, scopesQuery } from '../../api/api-keys.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { lazily } from '../../patterns/lazily.ts';
import { SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { useRefreshOnEvents } from '../../patterns/live/use-refresh-on-events.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { KEY_ACTIONS, KeyDialog } from './key-actions.ts';
import { KEY_STATES, keyColumns } from './key-columns.tsx';

const KeySheet = lazily(() => import('./KeySheet.tsx'), 'KeySheet');

const route = getRouteApi('/w/$workspace/api-keys');

const FILTERS: Filter[] = [{ key: 'state', kind: 'choice', label: t('Status'), options: KEY_STATES }];

const FIRST_KEY = {
  method: 'POST',
  path: '/api-keys',
  body: { name: 'Shop backend', preset: 'full' },
} as const;

export function ApiKeys() {
  const { workspace } = useWorkspace();
  const { q, state } = route.useSearch();
  const queryClient = useQueryClient();
  usePrefetchQuery(scopesQuery(workspace.id));
  const [secret, setSecret] = useState<string | null>(null);
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-keys'] });
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-key'] });
  };
  useRefreshOnEvents('api_key.*', refresh);
  return (
    <>
      <ListPage
        name="api-keys"
        title={t('API keys')}
        description={t('Authenticate your programs with scoped keys that you can restrict and revoke.')}
        search={t('Search by name')}
        filters={FILTERS}
        list={useInfiniteQuery(apiKeysQuery(workspace.id, { search: q, state }))}
        columns={keyColumns}
        rowLabel={({ name }) => name}
        actions={KEY_ACTIONS}
        create={{
          label: t('Create key'),
          scope: 'api_keys:write',
          pushes: true,
          dialog: KeyDialog,
          onDone: ({ secret: made }) => setSecret(made ?? null),
        }}
        single={(id) => apiKeyQuery(workspace.id, id)}
        sheet={(key, actions, run) => (
          <KeySheet apiKey={key} actions={actions} onDisable={() => run('revoke', key)} />
        )}
        busy={secret !== null}
        onAction={(_key, { action, answer }) => {
          setSecret((answer as AnsweredKey).secret ?? null);
          // Objects that the key created may be disabled now.
          if (action === 'revoke') void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id] });
        }}
        refresh={refresh}
        empty={
          <EmptyList icon={IconKey} title={t('No API keys yet')} call={FIRST_KEY}>
            {t(
              'Your programs use API keys to call the API. Create one key per program, so you can track and revoke each on its own.',
            )}
          </EmptyList>
        }
      />
      <SecretDialog secret={secret} title={t('Your new API key')} onDone={() => setSecret(null)} />
    </>
  );
}
