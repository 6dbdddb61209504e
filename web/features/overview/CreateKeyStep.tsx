/** Creates the first API key by name only. The API key page has the other settings. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { createApiKey } from '../../api/api-keys.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { rememberKey } from '../../api/fresh-key.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';

export function CreateKeyStep({ onDone }: { onDone: () => void }) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<AnsweredKey | null>(null);
  const form = useApiForm(
    { name: t('My first key') },
    ({ name }) => send(workspace.id, createApiKey({ name, preset: 'full' })),
    (key) => setMade(key),
  );
  const stored = () => {
    if (made?.secret) {
      rememberKey({ workspaceId: workspace.id, id: made.id, name: made.name, secret: made.secret });
    }
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'api-keys'] });
    setMade(null);
    onDone();
  };
  return (
    <form onSubmit={form.submit}>
      <Stack gap="sm" maw={520}>
        <Text c="dimmed">
          {t('Your programs use this key to call the API. It has the same permissions as you.')}
        </Text>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <Group align="flex-end" gap="xs">
          <TextInput label={t('Name')} required flex={1} miw={180} {...form.text('name')} />
          <Button type="submit" loading={form.pending} h="2.125rem">
            {t('Create key')}
          </Button>
        </Group>
      </Stack>
      <SecretDialog secret={made?.secret ?? null} title={t('Your first API key')} onDone={stored} />
    </form>
  );
}
