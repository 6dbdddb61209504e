/** Edits the subject, description and picture of a group. */
import { Button, FileButton, Group as Row, Progress, Text, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { type GroupChange, updateGroup } from '../../api/groups.ts';
import { uploadMedia } from '../../api/media.ts';
import type { Group, Instance, Job } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { notifyDone } from '../../design/notify.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { isSameMetadata, getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { WaitingForChannel } from './WaitingForChannel.tsx';
import { GroupMark } from './GroupMark.tsx';
import { framed, useChannelJob } from './use-channel-job.ts';

interface EditDialogProps {
  opened: boolean;
  group: Group;
  instance: Instance | undefined;
  onClose: () => void;
}

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

/** Returns the PATCH body: only what differs. @param mediaId of the uploaded picture */
function toChange(
  { subject, description, picture, metadata: pairs }: Values,
  group: Group,
  mediaId: string | null = null,
): GroupChange {
  const text = description.trim() || null;
  const metadata = getMetadata(pairs);
  return {
    ...(subject.trim() !== group.subject && { subject: subject.trim() }),
    ...(text !== group.description && { description: text }),
    ...(!isSameMetadata(metadata, group.metadata) && { metadata }),
    ...(picture !== undefined && { picture: picture && { media_id: mediaId ?? 'med_…' } }),
  };
}

function EditForm({ opened, group, instance, onClose }: EditDialogProps) {
  const { workspace } = useWorkspace();
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
  const channelJob = useChannelJob({
    opened,
    onAllDone: () => {
      notifyDone(t('Group updated'));
      onClose();
    },
  });
  const upload = async (file: File): Promise<string> => {
    setProgress(0);
    const media = uploadMedia(workspace.id, file, setProgress, leaving.current.signal);
    return (await media.finally(() => setProgress(null))).id;
  };
  const form = useEditForm<Group, Values, Job>({
    object: group,
    path: '/groups',
    fill: getValues,
    getChange: toChange,
    save: async (values, base, version) => {
      const mediaId = values.picture ? await upload(values.picture) : null;
      return channelJob.run(updateGroup(workspace.id, base.id, toChange(values, base, mediaId), version));
    },
    done: channelJob.done,
  });
  const { picture } = form.values;
  const change = toChange(form.values, form.base);
  return (
    <FormBody
      form={framed(form)}
      submit={t('Save')}
      call={{ method: 'PATCH', path: `/groups/${group.id}`, body: change }}
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
