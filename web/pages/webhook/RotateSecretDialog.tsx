/** Gives a webhook a new secret; for a day deliveries are signed by the one before, too. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { AnsweredWebhook, Webhook } from '../../api/types.ts';
import { rotateWebhookSecret } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { useForm } from '../../ui/use-form.ts';

interface RotateSecretDialogProps {
  webhook: Webhook;
  opened: boolean;
  onClose: () => void;
  onDone: (webhook: AnsweredWebhook) => void;
}

const bodyOf = ({ secret }: { secret: string }) => (secret.trim() ? { secret: secret.trim() } : {});

export function RotateSecretDialog({ opened, ...rest }: RotateSecretDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Rotate the signing secret">
      <RotateFields {...rest} />
    </Modal>
  );
}

function RotateFields({ webhook, onClose, onDone }: Omit<RotateSecretDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm(
    { secret: '' },
    (values) => rotateWebhookSecret(workspace.id, webhook.id, bodyOf(values)),
    (answer) => onDone(answer),
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          For 24 hours each delivery bears two signatures, by the new secret and by the one before. Put the
          new one in place meanwhile, and nothing is lost.
        </Text>
        {webhook.previous_secret_expires_at && (
          <Text c="var(--mantine-color-error)">
            It was rotated lately: the secret before the present one would have been good for another day (it
            ends <RelativeTime at={webhook.previous_secret_expires_at} />
            ), and ends at once.
          </Text>
        )}
        <TextInput
          label="A secret of your own"
          description="whsec_ and 24 to 64 bytes in base64. Empty: one is made for you."
          placeholder="whsec_…"
          autoComplete="off"
          spellCheck={false}
          {...form.text('secret')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={{ method: 'POST', path: `/webhooks/${webhook.id}/rotate-secret`, body: bodyOf(form.values) }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Rotate secret
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
