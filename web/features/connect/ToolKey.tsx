/** Creates the API key for a tool. Its secret is shown once. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { rich, t } from '../../copy/text.ts';
import { createApiKey, scopesQuery } from '../../api/api-keys.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import ui from '../../design/ui.module.css';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import { ExpiryField } from '../api-keys/ExpiryField.tsx';
import { getExpiry, type KeyForm } from '../api-keys/key-form.ts';
import { getToolScopes } from './tools.ts';

type Fields = Pick<KeyForm, 'name' | 'expires_at'>;

export function ToolKey({ name, onDone }: { name: string; onDone: (key: AnsweredKey) => void }) {
  const { workspace, scopes: mine } = useWorkspace();
  const { data } = useQuery(scopesQuery(workspace.id));
  const preset = data?.presets.find(({ id }) => id === 'automation')?.scopes ?? [];
  const scopes = getToolScopes(preset, mine);
  const form = useCallForm<Fields, AnsweredKey>(
    { name, expires_at: { lifetime: null, date: '' } },
    (values) => createApiKey({ name: values.name.trim(), scopes, expires_at: getExpiry(values.expires_at) }),
    onDone,
  );
  return (
    <form onSubmit={form.submit}>
      <Stack maw={560}>
        <TextInput label={t('Name')} required maxLength={100} {...form.text('name')} />
        <ExpiryField
          value={form.values.expires_at}
          onChange={(expiry) => form.set('expires_at', expiry)}
          error={form.error('expires_at')}
        />
        <Text size="xs" c="dimmed">
          {rich(
            'Scopes: <scopes>{scopes}</scopes>.',
            {
              scopes: (words) => (
                <span className={ui.mono} data-testid="scopes">
                  {words}
                </span>
              ),
            },
            { scopes: scopes.join(', ') },
          )}
        </Text>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={form.call} />
        <Group>
          <Button type="submit" loading={form.pending} disabled={scopes.length === 0}>
            {t('Create key')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
