/** Confirms a bulk action, runs it and lists the links that failed. */
import { Button, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { formatNumber, t } from '../../copy/text.ts';
import { type BulkResults, sendInParts } from '../../api/links.ts';
import { fieldProblem } from '../../api/problem.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { shownAddress } from '../../design/addresses.ts';
import { notifyDone } from '../../design/notify.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import ui from '../../design/ui.module.css';
import { type BulkActionName, type BulkChoice, getCall, BULK_TEXTS } from './bulk-actions.ts';
import { getExact } from './link-form.ts';
import { ExpiryField } from './LimitFields.tsx';
import { TagsField } from '../tags/TagsField.tsx';

interface BulkDialogProps {
  opened: boolean;
  action: BulkActionName;
  links: readonly Link[];
  onClose: () => void;
  /** @param isAll whether all links succeeded */
  onDone: (isAll: boolean) => void;
}

export function BulkDialog({ opened, ...rest }: BulkDialogProps) {
  const { action, links, onClose } = rest;
  return (
    <FormDialog opened={opened} onClose={onClose} title={BULK_TEXTS[action].title(links.length)}>
      <BulkForm {...rest} />
    </FormDialog>
  );
}

interface BulkValues {
  tags: string[];
  /** Expiration, as a local date and time. */
  local: string;
}

const getChoice = ({ tags, local }: BulkValues): BulkChoice => ({ tags, expires_at: getExact(local) });

interface Failure {
  link: Link;
  message: string;
}

function BulkForm({ action, links: shown, onClose, onDone }: Omit<BulkDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  // The selection at the time of opening: the list behind the dialog may change.
  const [links] = useState(shown);
  const [failures, setFailures] = useState<Failure[]>([]);
  const ids = links.map(({ id }) => id);
  const texts = BULK_TEXTS[action];
  const changesTags = action === 'add_tags' || action === 'remove_tags';
  const form = useApiForm<BulkValues, BulkResults>(
    { tags: [], local: '' },
    async (values) => {
      if (changesTags && values.tags.length === 0) throw fieldProblem('/tags', t('Select at least one tag.'));
      return sendInParts(workspace.id, ids, (part) => getCall(action, part, getChoice(values)));
    },
    (results) => {
      const failed = results.flatMap(({ error }, at): Failure[] => {
        const link = links[at];
        return error && link ? [{ link, message: error.detail ?? error.title }] : [];
      });
      setFailures(failed);
      if (failed.length === 0) notifyDone(texts.done(links.length));
      onDone(failed.length === 0);
    },
  );
  if (failures.length > 0) return <Outcome failures={failures} total={links.length} onClose={onClose} />;
  const { tags, local } = form.values;
  return (
    <FormBody
      form={form}
      submit={texts.confirm}
      danger={action === 'delete'}
      asks={!changesTags && action !== 'expire'}
      call={getCall(action, ids, getChoice(form.values))}
    >
      <Text>{texts.body}</Text>
      {changesTags && (
        <TagsField
          label={t('Tags')}
          data-autofocus
          creates={action === 'add_tags'}
          value={tags}
          onChange={(names) => form.set('tags', names)}
          error={form.error('tags')}
        />
      )}
      {action === 'expire' && <ExpiryField value={local} onChange={(at) => form.set('local', at)} />}
    </FormBody>
  );
}

interface OutcomeProps {
  failures: Failure[];
  total: number;
  onClose: () => void;
}

function Outcome({ failures, total, onClose }: OutcomeProps) {
  return (
    <Stack>
      <Text role="status">
        {t('{succeeded} of {total} links succeeded. The others failed:', {
          succeeded: formatNumber(total - failures.length),
          total: formatNumber(total),
        })}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- many are scrolled by keys */}
      <div className={ui.faults} role="group" aria-label={t('Failed links')} tabIndex={0}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Link')}</Table.Th>
              <Table.Th>{t('Error')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {failures.map(({ link, message }) => (
              <Table.Tr key={link.id}>
                <Table.Td className={`${ui.mono} ${atoms.breaks}`}>{shownAddress(link.short_url)}</Table.Td>
                <Table.Td>{message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <div className={ui.dialogFoot}>
        <Button onClick={onClose} data-autofocus>
          {t('Close')}
        </Button>
      </div>
    </Stack>
  );
}
