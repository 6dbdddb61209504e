import { Button, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { apiKeyQuery, apiKeysQuery } from '../../api/api-keys.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SecretDialog, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { keyColumns } from './key-columns.tsx';

const KeyDialog = lazy(async () => ({ default: (await import('./KeyDialog.tsx')).KeyDialog }));
const KeySheet = lazy(async () => ({ default: (await import('./KeySheet.tsx')).KeySheet }));
const RevokeKeyDialog = lazy(async () => ({
  default: (await import('./RevokeKeyDialog.tsx')).RevokeKeyDialog,
}));
const RotateKeyDialog = lazy(async () => ({
  default: (await import('./RotateKeyDialog.tsx')).RotateKeyDialog,
}));

const route = getRouteApi('/w/$workspace/api-keys');

const FILTERS = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
];

const FIRST_KEY = {
  method: 'POST',
  path: '/api-keys',
  body: { name: 'Shop backend', preset: 'full' },
} as const;

export function ApiKeys() {
  const { workspace } = useWorkspace();
  const write = useCan('api_keys:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const keys = useInfiniteQuery(apiKeysQuery(workspace.id, search.state && { state: search.state }));
  const listed = keys.data?.find(({ id }) => id === search.id);
  const single = useQuery({ ...apiKeyQuery(workspace.id, search.id ?? ''), enabled: !!search.id && !listed });
  const [action, setAction] = useState<'edit' | 'rotate' | 'revoke' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const shown = search.id === undefined ? undefined : (listed ?? single.data);
  const creating = search.create === true;

  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const changed = (key: AnsweredKey, message?: string) => {
    setAction(null);
    setSecret(key.secret ?? null);
    go({ create: undefined });
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-keys'] });
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-key', key.id] });
    if (message) notifyDone(message);
  };
  const create = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Create key
    </Button>
  );

  return (
    <>
      <PageHeader
        title="API keys"
        description="What your programs call the API with: scopes, and bounds where you want them."
      >
        <SegmentedControl
          size="xs"
          aria-label="State"
          data={FILTERS}
          value={search.state ?? ''}
          onChange={(state) => go({ state: (state || undefined) as typeof search.state })}
        />
        {create}
      </PageHeader>
      <DataTable
        label="API keys"
        list={keys}
        columns={keyColumns}
        selected={search.id}
        onSelect={(id) => go({ id })}
        empty={
          search.state ? (
            <Text c="dimmed" py="xl" ta="center">
              No {search.state} keys.
            </Text>
          ) : (
            <EmptyList icon={IconKey} title="No API keys yet" action={create} call={FIRST_KEY}>
              A key lets a program call the API in this workspace. Give each program its own, so that you can
              see what it does and revoke it alone.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={shown !== undefined}>
        <SideSheet
          record={shown}
          ids={keys.data?.map(({ id }) => id) ?? []}
          title={(key) => key.name}
          onSelect={(id) => go({ id })}
          busy={action !== null || secret !== null || creating}
        >
          {(key) => <KeySheet apiKey={key} onAction={setAction} />}
        </SideSheet>
      </OnceOpened>
      <OnceOpened opened={creating || action === 'edit'}>
        <KeyDialog
          opened={creating || action === 'edit'}
          apiKey={creating ? null : (shown ?? null)}
          onClose={() => (creating ? go({ create: undefined }) : setAction(null))}
          onDone={(key) => changed(key, key.secret ? undefined : 'Key changed')}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        <RotateKeyDialog
          apiKey={action === 'rotate' ? (shown ?? null) : null}
          onClose={() => setAction(null)}
          onDone={(key) => changed(key)}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'revoke'}>
        <RevokeKeyDialog
          apiKey={action === 'revoke' ? (shown ?? null) : null}
          onClose={() => setAction(null)}
          onDone={(key, message) => {
            changed(key, message);
            // What the key created may have changed with it.
            void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id] });
          }}
        />
      </OnceOpened>
      <OnceOpened opened={secret !== null}>
        <SecretDialog secret={secret} title="Your new API key" onDone={() => setSecret(null)} />
      </OnceOpened>
    </>
  );
}
