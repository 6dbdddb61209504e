/** Changes how the signatures of an endpoint's senders are read. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { refreshEndpoints, updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { authChangeOf, authFormOf } from './auth-form.ts';
import { SignatureFields } from './SignatureFields.tsx';

interface SignatureDialogProps {
  endpoint: PublishingEndpoint;
  version: string | null;
  opened: boolean;
  onClose: () => void;
}

export function SignatureDialog({ opened, ...rest }: SignatureDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="How signatures are read" size="lg">
      <SignatureForm {...rest} />
    </Modal>
  );
}

function SignatureForm({ endpoint, version, onClose }: Omit<SignatureDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [value, setValue] = useState(() => authFormOf(endpoint.auth));
  const body = { auth: authChangeOf(value) };
  const save = useMutation({
    mutationFn: () => updateEndpoint(workspace.id, endpoint.id, body, version),
    onSuccess: () => {
      onClose();
      notifyDone('Saved');
    },
    onSettled: () => refreshEndpoints(client, workspace.id),
  });
  return (
    <Stack>
      <SignatureFields
        value={value}
        onChange={setValue}
        faults={save.error instanceof ApiProblem ? save.error.faults : []}
      />
      {save.error && <ProblemAlert error={save.error} />}
      <AsCurl call={{ method: 'PATCH', path: `/publishing-endpoints/${endpoint.id}`, body }} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}
