/** Changes what a group is called and says of itself, and its picture. */
import {
  Button,
  FileButton,
  Group as Row,
  Modal,
  Progress,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { type GroupChange, updateGroup } from '../../api/groups.ts';
import { uploadMedia } from '../../api/media.ts';
import type { Group, Instance, Job } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { IqClient } from '../groups/Asking.tsx';
import { GroupMark } from '../groups/GroupMark.tsx';
import { useConfirm } from '../groups/use-confirm.ts';

interface EditDialogProps {
  opened: boolean;
  group: Group;
  instance: Instance | undefined;
  onClose: () => void;
}

export function EditDialog(props: EditDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Change the group" closeOnClickOutside={false}>
      <EditForm {...props} />
    </Modal>
  );
}

interface Values {
  subject: string;
  description: string;
  /** A file: to be uploaded; null: taken away; undefined: as it is. */
  picture: File | null | undefined;
}

/** What differs from the group as it is. @param mediaId of the picture, once it is uploaded */
function changeOf(
  { subject, description, picture }: Values,
  group: Group,
  mediaId: string | null,
): GroupChange {
  const said = description.trim() || null;
  return {
    ...(subject.trim() !== group.subject && { subject: subject.trim() }),
    ...(said !== group.description && { description: said }),
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
  const asking = useConfirm({
    opened,
    onAllDone: () => {
      notifyDone('Group changed');
      onClose();
    },
  });
  const upload = async (file: File): Promise<string> => {
    setProgress(0);
    const media = uploadMedia(workspace.id, file, setProgress, leaving.current.signal);
    return (await media.finally(() => setProgress(null))).id;
  };
  const form = useForm<Values, Job>(
    { subject: group.subject, description: group.description ?? '', picture: undefined },
    async (values) => {
      const mediaId = values.picture ? await upload(values.picture) : null;
      return asking.ask(updateGroup(workspace.id, group.id, changeOf(values, group, mediaId)));
    },
    asking.done,
  );
  const { picture } = form.values;
  const change = changeOf(form.values, group, null);
  return (
    <form onSubmit={form.submit} autoComplete="off">
      <Stack>
        <TextInput
          label="Subject"
          required
          withAsterisk={false}
          maxLength={200}
          data-autofocus
          {...form.text('subject')}
        />
        {can('group_description') && (
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={6}
            maxLength={4000}
            {...form.text('description')}
          />
        )}
        {can('group_picture') && (
          <Row gap="sm" role="group" aria-label="Picture">
            <GroupMark picture={picture === undefined ? group.picture : null} size={40} />
            <Text size="xs" c="dimmed" truncate maw={180}>
              {picture === undefined
                ? group.picture === null
                  ? 'No picture'
                  : 'As it is'
                : (picture?.name ?? 'Taken away')}
            </Text>
            {uploads && (
              <FileButton
                accept="image/png,image/jpeg"
                onChange={(file) => file && form.set('picture', file)}
              >
                {(props) => (
                  <Button size="xs" variant="default" {...props}>
                    Choose a picture
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
                Take it away
              </Button>
            )}
          </Row>
        )}
        {form.error('picture') && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {form.error('picture')}
          </Text>
        )}
        {progress !== null && <Progress value={progress * 100} size="sm" aria-label="Uploaded" />}
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        {form.pending && progress === null && <IqClient />}
        <AsCurl call={{ method: 'PATCH', path: `/groups/${group.id}`, body: change }} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            {form.pending ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" disabled={Object.keys(change).length === 0} loading={form.pending}>
            Save
          </Button>
        </div>
      </Stack>
    </form>
  );
}
