/** Replays a publication with the current or the original templates. */
import { Radio, Stack, Text } from '@mantine/core';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { replayPublication } from '../../api/publications.ts';
import type { Publication } from '../../api/types.ts';
import { useCallForm } from '../../patterns/form/use-api-form.ts';

interface ReplayDialogProps {
  publication: Publication;
  /** The endpoint's current revision. */
  currentRevision: number | undefined;
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
    <FormDialog opened={opened} onClose={rest.onClose} title={t('Replay publication')}>
      <ReplayFields {...rest} />
    </FormDialog>
  );
}

function ReplayFields({
  publication,
  currentRevision,
  onDone,
}: Omit<ReplayDialogProps, 'opened' | 'onClose'>) {
  const failed = publication.results.filter(({ status }) => status === 'failed').length;
  const form = useCallForm<Values, Publication>(
    failed > 0 && failed < publication.results.length
      ? { template: 'original', only: 'failed' }
      : { template: 'present', only: 'all' },
    (chosen) => replayPublication(publication.id, chosen),
    (answer) => onDone(answer),
  );
  const { values, set } = form;
  return (
    <FormBody form={form} submit={t('Replay')}>
      <Text>
        {t(
          "Publishes the payload again as a new publication. The filter, schedule, and dedupe key don't apply.",
        )}
      </Text>
      <Radio.Group
        label={t('Templates')}
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
            label={
              currentRevision === undefined
                ? t('Current version')
                : t('Current version (revision {revision})', { revision: currentRevision })
            }
            description={t('Use this after you fixed a template or added a destination.')}
          />
          <Radio
            value="original"
            label={t('Original version (revision {revision})', { revision: publication.revision })}
            description={t('Sends the same messages again.')}
          />
        </Stack>
      </Radio.Group>
      <Radio.Group
        label={t('Destinations')}
        value={values.only}
        onChange={(only) => set('only', only)}
        error={form.error('only')}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="all" label={t('All destinations')} />
          <Radio
            value="failed"
            disabled={failed === 0 || values.template === 'present'}
            label={t('Failed destinations ({failed})', { failed })}
            description={
              values.template === 'present' && failed > 0
                ? t('Only available with the original version.')
                : undefined
            }
          />
        </Stack>
      </Radio.Group>
    </FormBody>
  );
}
