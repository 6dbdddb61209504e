/** Makes the first key with one field; everything finer is on the page of keys. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createApiKey } from '../../api/api-keys.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { rememberKey } from '../../shell/fresh-key.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';

export function CreateKeyStep({ onDone }: { onDone: () => void }) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<AnsweredKey | null>(null);
  const form = useForm(
    { name: 'My first key' },
    ({ name }) => createApiKey(workspace.id, { name, preset: 'full' }),
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
        <Text c="dimmed">Your programs call the API with it. It may do everything that you may do.</Text>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <Group align="flex-end" gap="xs">
          <TextInput label="Name" required withAsterisk={false} flex={1} miw={180} {...form.text('name')} />
          <Button type="submit" loading={form.pending} h="2.125rem">
            Create key
          </Button>
        </Group>
        <AsCurl
          call={{ method: 'POST', path: '/api-keys', body: { name: form.values.name, preset: 'full' } }}
        />
      </Stack>
      <OnceOpened opened={made !== null}>
        <SecretDialog secret={made?.secret ?? null} title="Your first API key" onDone={stored} />
      </OnceOpened>
    </form>
  );
}
