/** Makes the key that a tool calls with. Its secret is shown once. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createApiKey, scopesQuery, type NewApiKey } from '../../api/api-keys.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { ExpiryField } from '../api-keys/ExpiryField.tsx';
import { expiryOf, type KeyForm } from '../api-keys/key-form.ts';
import { scopesFor } from './tools.ts';

type Fields = Pick<KeyForm, 'name' | 'expires_at'>;

export function ToolKey({ name, onDone }: { name: string; onDone: (key: AnsweredKey) => void }) {
  const { workspace, scopes: mine } = useWorkspace();
  const { data } = useQuery(scopesQuery(workspace.id));
  const preset = data?.presets.find(({ id }) => id === 'automation')?.scopes ?? [];
  const scopes = scopesFor(preset, mine);
  const bodyOf = (values: Fields): NewApiKey => ({
    name: values.name.trim(),
    scopes,
    expires_at: expiryOf(values.expires_at),
  });
  const form = useForm<Fields, AnsweredKey>(
    { name, expires_at: { lifetime: null, date: '' } },
    (values) => createApiKey(workspace.id, bodyOf(values)),
    onDone,
  );
  return (
    <form onSubmit={form.submit}>
      <Stack maw={560}>
        <TextInput label="Name" required withAsterisk={false} maxLength={100} {...form.text('name')} />
        <ExpiryField
          value={form.values.expires_at}
          onChange={(expiry) => form.set('expires_at', expiry)}
          error={form.error('expires_at')}
        />
        <Text size="xs" c="dimmed">
          It may{' '}
          <span className={ui.mono} data-testid="scopes">
            {scopes.join(', ')}
          </span>
          .
        </Text>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: '/api-keys', body: bodyOf(form.values) }} />
        <Group>
          <Button type="submit" loading={form.pending} disabled={scopes.length === 0}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
