/** Edits the subject, description and picture of a group. */
import { Button, FileButton, Group as Row, Progress, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { type GroupChange, updateGroup } from '../../api/groups.ts';
import { instanceQuery } from '../../api/instances.ts';
import { uploadMedia } from '../../api/media.ts';
import type { Group, Job } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { changes } from '../../design/changes.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { useBase } from '../../patterns/form/use-base.ts';
import { WaitingForChannel } from './WaitingForChannel.tsx';
import { GroupMark } from './GroupMark.tsx';
import { framed, useChannelJob } from './use-channel-job.ts';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

type EditDialogProps = RecordDialogProps<Group, unknown>;

export function EditDialog(props: EditDialogProps) {
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={t('Edit group')}>
      <EditForm {...props} />
    </FormDialog>
  );
}

interface Values {
  subject: string;
  description: string;
  /** A file to upload, null to remove the picture, undefined to keep it. */
  picture: File | null | undefined;
  metadata: MetadataPair[];
}

const getValues = (group: Group): Values => ({
  subject: group.subject,
  description: group.description ?? '',
  picture: undefined,
  metadata: toPairs(group.metadata),
});

const getWanted = ({ subject, description, metadata }: Values) => ({
  subject: subject.trim(),
  description: description.trim() || null,
  metadata: getMetadata(metadata),
});

/** Returns the PATCH body: only what differs. @param mediaId ID of the uploaded picture */
const toChange = (values: Values, group: Group, mediaId = 'med_…'): GroupChange => ({
  ...changes(getWanted(values), group),
  ...(values.picture !== undefined && { picture: values.picture && { media_id: mediaId } }),
});

function EditForm({ opened, object: group, onDone }: EditDialogProps) {
  const { workspace } = useWorkspace();
  const { data: instance } = useQuery(instanceQuery(workspace.id, group.instance_id));
  const uploads = useCan('media:write');
  const can = (operation: 'group_description' | 'group_picture') =>
    instance?.capabilities.operations.includes(operation) ?? false;
  const [progress, setProgress] = useState<number | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const channelJob = useChannelJob({ opened, onAllDone: onDone });
  const upload = async (file: File): Promise<string> => {
    setProgress(0);
    const media = uploadMedia(workspace.id, file, setProgress, leaving.current.signal);
    return (await media.finally(() => setProgress(null))).id;
  };
  const base = useBase(group, (one, other) => updateGroup(other.id, toChange(getValues(one), other)));
  const form = useApiForm<Values, Job>(
    getValues(group),
    async (values) => {
      const version = await base.getVersion();
      const mediaId = values.picture ? await upload(values.picture) : undefined;
      return channelJob.run(updateGroup(group.id, toChange(values, base.object, mediaId)), { version });
    },
    channelJob.done,
  );
  const { picture } = form.values;
  const change = toChange(form.values, base.object);
  return (
    <FormBody
      form={{ ...framed(form), reload: async () => form.refill(getValues(await base.reload())) }}
      submit={t('Save')}
      call={updateGroup(group.id, change)}
      disabled={Object.keys(change).length === 0}
    >
      <TextInput label={t('Name')} required maxLength={200} data-autofocus {...form.text('subject')} />
      {can('group_description') && (
        <Textarea
          label={t('Description')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={4000}
          {...form.text('description')}
        />
      )}
      {can('group_picture') && (
        <Row gap="sm" role="group" aria-label={t('Picture')}>
          <GroupMark picture={picture === undefined ? group.picture : null} size={40} />
          <Text size="xs" c="dimmed" truncate maw={180}>
            {picture === undefined
              ? group.picture === null
                ? t('No picture')
                : t('Current picture')
              : (picture?.name ?? t('Picture removed'))}
          </Text>
          {uploads && (
            <FileButton accept="image/png,image/jpeg" onChange={(file) => file && form.set('picture', file)}>
              {(props) => (
                <Button size="xs" variant="default" {...props}>
                  {t('Choose picture')}
                </Button>
              )}
            </FileButton>
          )}
          {(picture ?? (picture === undefined && group.picture !== null)) && (
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              onClick={() => form.set('picture', group.picture === null ? undefined : null)}
            >
              {t('Remove picture')}
            </Button>
          )}
        </Row>
      )}
      {form.error('picture') && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {form.error('picture')}
        </Text>
      )}
      {progress !== null && <Progress value={progress * 100} size="sm" aria-label={t('Upload progress')} />}
      {form.pending && progress === null && <WaitingForChannel />}
      <MetadataField form={form} />
    </FormBody>
  );
}
