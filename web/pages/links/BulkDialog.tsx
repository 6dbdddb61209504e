/** Asks before something is done with many links, does it, and says item by item what was refused. */
import { Button, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { shownAddress } from '../../ui/addresses.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { type BulkAction, type BulkChoice, callOf, execute, WORDS } from './bulk-actions.ts';
import { exactOf } from './link-form.ts';
import { numberOf } from './link-text.ts';
import { ExpiryField } from './LimitFields.tsx';
import classes from './links.module.css';
import { TagsField } from './TagsField.tsx';

interface BulkDialogProps {
  /** null for none. */
  action: BulkAction | null;
  links: readonly Link[];
  onClose: () => void;
  /** @param isAll whether each of them was done */
  onDone: (isAll: boolean) => void;
}

const linksOf = (count: number): string => (count === 1 ? '1 link' : `${numberOf(count)} links`);

export function BulkDialog({ action, links, ...rest }: BulkDialogProps) {
  // Kept while the dialog fades out.
  const [last, setLast] = useState(action);
  if (action && action !== last) setLast(action);
  const shown = action ?? last;
  return (
    <Modal
      opened={action !== null}
      onClose={rest.onClose}
      title={shown && WORDS[shown].title(linksOf(links.length))}
    >
      {shown && <BulkForm action={shown} links={links} {...rest} />}
    </Modal>
  );
}

interface Refused {
  link: Link;
  said: string;
}

function BulkForm({ action, links: shown, onClose, onDone }: BulkDialogProps & { action: BulkAction }) {
  const { workspace } = useWorkspace();
  // Those that were chosen when it was opened: the list may change beneath it.
  const [links] = useState(shown);
  const [tags, setTags] = useState<string[]>([]);
  const [local, setLocal] = useState('');
  const choice: BulkChoice = { tags, expires_at: exactOf(local) };
  const ids = links.map(({ id }) => id);
  const words = WORDS[action];
  const doing = useMutation({
    mutationFn: () => execute(workspace.id, action, ids, choice),
    onSuccess: (results) => {
      const failed = results.filter(({ error }) => error !== null).length;
      if (failed === 0) notifyDone(words.done(linksOf(links.length)));
      onDone(failed === 0);
    },
  });
  const refused = doing.data?.flatMap(({ error }, at): Refused[] => {
    const link = links[at];
    return error && link ? [{ link, said: error.detail ?? error.title }] : [];
  });
  if (refused) return <Outcome refused={refused} all={links.length} onClose={onClose} />;
  const namesTags = action === 'add_tags' || action === 'remove_tags';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!doing.isPending) doing.mutate();
      }}
    >
      <Stack>
        <Text>{words.says}</Text>
        {namesTags && (
          <TagsField
            label="Tags"
            data-autofocus
            makes={action === 'add_tags'}
            value={tags}
            onChange={setTags}
          />
        )}
        {action === 'expire' && <ExpiryField value={local} onChange={setLocal} />}
        {doing.error && <ProblemAlert error={doing.error} />}
        <AsCurl call={callOf(action, ids, choice)} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={action === 'delete' ? 'red' : 'sea'}
            disabled={namesTags && tags.length === 0}
            loading={doing.isPending}
            {...(!namesTags && action !== 'expire' && { 'data-autofocus': true })}
          >
            {words.confirm}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Outcome({ refused, all, onClose }: { refused: Refused[]; all: number; onClose: () => void }) {
  return (
    <Stack>
      <Text role="status">
        {`${numberOf(all - refused.length)} of ${linksOf(all)} done; ${numberOf(refused.length)} refused:`}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- many are scrolled by keys */}
      <div className={ui.faults} role="group" aria-label="Links that were refused" tabIndex={0}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Link</Table.Th>
              <Table.Th>Why</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {refused.map(({ link, said }) => (
              <Table.Tr key={link.id}>
                <Table.Td className={`${ui.mono} ${classes.breaks}`}>{shownAddress(link.short_url)}</Table.Td>
                <Table.Td>{said}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <div className={ui.dialogFoot}>
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </div>
    </Stack>
  );
}
