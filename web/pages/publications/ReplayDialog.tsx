/** Asks by which templates, and to whom, something is published once more. */
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { replayPublication } from '../../api/publications.ts';
import type { Publication } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';

interface ReplayDialogProps {
  publication: Publication;
  /** The endpoint's definition as it is now. */
  present: number | undefined;
  opened: boolean;
  onClose: () => void;
  onDone: (publication: Publication) => void;
}

interface Values {
  template: 'original' | 'present';
  only: 'all' | 'failed';
}

export function ReplayDialog({ opened, ...rest }: ReplayDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Publish it once more">
      <ReplayFields {...rest} />
    </Modal>
  );
}

function ReplayFields({ publication, present, onClose, onDone }: Omit<ReplayDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const failed = publication.results.filter(({ status }) => status === 'failed').length;
  const form = useForm<Values, Publication>(
    failed > 0 && failed < publication.results.length
      ? { template: 'original', only: 'failed' }
      : { template: 'present', only: 'all' },
    (values) => replayPublication(workspace.id, publication.id, values),
    (answer) => onDone(answer),
  );
  const { values, set } = form;
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          The payload is published again as a publication of its own, whether or not it was before. Filter and
          schedule count, the dedupe key does not.
        </Text>
        <Radio.Group
          label="Templates"
          value={values.template}
          onChange={(template) => {
            set('template', template);
            if (template === 'present') set('only', 'all');
          }}
          error={form.error('template')}
        >
          <Stack gap="xs" mt={4}>
            <Radio
              value="present"
              label={`As they are now${present === undefined ? '' : ` (revision ${present})`}`}
              description="After a template was repaired, or a destination was added."
            />
            <Radio
              value="original"
              label={`As they were then (revision ${publication.revision})`}
              description="The same messages once more."
            />
          </Stack>
        </Radio.Group>
        <Radio.Group
          label="Destinations"
          value={values.only}
          onChange={(only) => set('only', only)}
          error={form.error('only')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="all" label="All of them" />
            <Radio
              value="failed"
              disabled={failed === 0 || values.template === 'present'}
              label={`Only those that failed (${failed})`}
              description={
                values.template === 'present' && failed > 0 ? 'Goes with the templates of then.' : undefined
              }
            />
          </Stack>
        </Radio.Group>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: `/publications/${publication.id}/replay`, body: values }} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Replay
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
