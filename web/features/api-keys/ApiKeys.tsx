import { Button } from '@mantine/core';
import { useInfiniteQuery, usePrefetchQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ApiKeyFilter, apiKeyQuery, apiKeysQuery, scopesQuery } from '../../api/api-keys.ts';
import type { AnsweredKey, ApiKey } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone } from '../../design/notify.ts';
import { lazily } from '../../patterns/lazily.ts';
import { OnceOpened, SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { useRefreshOnEvents } from '../../patterns/live/use-refresh-on-events.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { type KeyAction, keyActions } from './key-actions.ts';
import { KEY_STATES, keyColumns } from './key-columns.tsx';

const KeyDialog = lazily(() => import('./KeyDialog.tsx'), 'KeyDialog');
const KeySheet = lazily(() => import('./KeySheet.tsx'), 'KeySheet');
const RevokeKeyDialog = lazily(() => import('./RevokeKeyDialog.tsx'), 'RevokeKeyDialog');
const RotateKeyDialog = lazily(() => import('./RotateKeyDialog.tsx'), 'RotateKeyDialog');

const route = getRouteApi('/w/$workspace/api-keys');

const FILTERS: Filter[] = [{ key: 'state', kind: 'choice', label: t('Status'), options: KEY_STATES }];

const FIRST_KEY = {
  method: 'POST',
  path: '/api-keys',
  body: { name: 'Shop backend', preset: 'full' },
} as const;

const getKeyFilter = ({ q, state }: { q?: string; state?: ApiKey['state'] }): ApiKeyFilter => ({
  ...(q !== undefined && { search: q }),
  ...(state !== undefined && { state }),
});

export function ApiKeys() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  usePrefetchQuery(scopesQuery(workspace.id));
  const keys = useInfiniteQuery(apiKeysQuery(workspace.id, getKeyFilter(search)));
  const [acting, setActing] = useState<{ key: ApiKey; action: KeyAction | null } | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const action = acting?.action ?? null;
  const creating = search.create === true;
  const close = () => setActing(acting && { ...acting, action: null });
  const setCreating = (create: true | undefined) =>
    void navigate({ search: (before) => ({ ...before, create }), replace: create === undefined });
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-keys'] });
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-key'] });
  };
  useRefreshOnEvents('api_key.*', refresh);
  const changed = (key: AnsweredKey, message?: string) => {
    close();
    setSecret(key.secret ?? null);
    if (creating) setCreating(undefined);
    refresh();
    if (message) notifyDone(message);
  };
  const actions = keyActions((key, name) => setActing({ key, action: name }));
  const create = useCan('api_keys:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t('Create key')}
    </Button>
  );
  const dialogKey = (name: KeyAction) => (acting && action === name ? acting.key : null);

  return (
    <>
      <ResourceList
        name="api-keys"
        title={t('API keys')}
        description={t('Authenticate your programs with scoped keys that you can restrict and revoke.')}
        buttons={create}
        search={t('Search by name')}
        filters={FILTERS}
        list={keys}
        columns={keyColumns}
        selected={search.id}
        link={sheetLink()}
        rowLabel={({ name }) => name}
        actions={actions}
        empty={
          <EmptyList icon={IconKey} title={t('No API keys yet')} call={FIRST_KEY}>
            {t(
              'Your programs use API keys to call the API. Create one key per program, so you can track and revoke each on its own.',
            )}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={keys.data}
        single={(id) => apiKeyQuery(workspace.id, id)}
        title={(key) => key.name}
        busy={action !== null || secret !== null || creating}
      >
        {(key) => (
          <KeySheet apiKey={key} actions={actions} onDisable={() => setActing({ key, action: 'revoke' })} />
        )}
      </RecordSheet>
      <OnceOpened opened={creating || action === 'edit'}>
        <KeyDialog
          opened={creating || action === 'edit'}
          apiKey={creating ? null : (acting?.key ?? null)}
          onClose={() => (creating ? setCreating(undefined) : close())}
          onDone={(key) => changed(key, key.secret ? undefined : t('API key updated'))}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        <RotateKeyDialog apiKey={dialogKey('rotate')} onClose={close} onDone={(key) => changed(key)} />
      </OnceOpened>
      <OnceOpened opened={action === 'revoke'}>
        <RevokeKeyDialog
          apiKey={dialogKey('revoke')}
          onClose={close}
          onDone={(key, message) => {
            changed(key, message);
            // Objects that the key created may be disabled now.
            void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id] });
          }}
        />
      </OnceOpened>
      <OnceOpened opened={secret !== null}>
        <SecretDialog secret={secret} title={t('Your new API key')} onDone={() => setSecret(null)} />
      </OnceOpened>
    </>
  );
}
