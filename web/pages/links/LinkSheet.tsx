/** Makes a link, or changes one. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { CallExample } from '../../api/curl.ts';
import { createLink, updateLink } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { shownAddress } from '../../ui/addresses.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormSheet } from '../../ui/FormSheet.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { bodyOf, changeOf, type LinkForm, linkFormOf } from './link-form.ts';
import { LinkFields } from './LinkFields.tsx';
import classes from './links.module.css';

interface LinkSheetProps {
  opened: boolean;
  /** null makes one. */
  link: Link | null;
  onClose: () => void;
  /** It was made, or changed. */
  onDone: (link: Link) => void;
}

export function LinkSheet({ opened, link, onClose, onDone }: LinkSheetProps) {
  const [made, setMade] = useState<Link | null>(null);
  // Each new link begins with an empty form.
  const [count, setCount] = useState(0);
  const close = () => {
    onClose();
    setMade(null);
    setCount(count + 1);
  };
  return (
    <FormSheet
      opened={opened}
      onClose={close}
      title={
        link ? `Change ${shownAddress(link.short_url)}` : made ? 'Short link created' : 'Create a short link'
      }
    >
      {made ? (
        <Made
          link={made}
          onAnother={() => {
            setMade(null);
            setCount(count + 1);
          }}
          onClose={close}
        />
      ) : (
        <LinkSheetForm
          key={link?.id ?? count}
          link={link}
          onClose={close}
          onDone={(done) => {
            if (!link) setMade(done);
            onDone(done);
          }}
        />
      )}
    </FormSheet>
  );
}

function LinkSheetForm({ link, onClose, onDone }: Omit<LinkSheetProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm<LinkForm, Link>(
    linkFormOf(link),
    (values) =>
      link
        ? updateLink(workspace.id, link.id, changeOf(values, link))
        : createLink(workspace.id, bodyOf(values)),
    (answer) => onDone(answer),
  );
  const element = useRef<HTMLFormElement>(null);
  // What is wrong may be out of sight.
  useEffect(() => {
    if (!form.pending) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form.pending]);
  const call: CallExample = link
    ? { method: 'PATCH', path: `/links/${link.id}`, body: changeOf(form.values, link, true) }
    : { method: 'POST', path: '/links', body: bodyOf(form.values, true) };
  return (
    <form ref={element} onSubmit={form.submit} autoComplete="off">
      <Stack gap="lg">
        <LinkFields form={form} link={link} />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={call} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {link ? 'Save' : 'Create link'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

interface MadeProps {
  link: Link;
  onAnother: () => void;
  onClose: () => void;
}

/** What one makes a link for: its address, to be copied. */
function Made({ link, onAnother, onClose }: MadeProps) {
  const { workspace } = useWorkspace();
  return (
    <Stack gap="lg">
      <div className={classes.made} role="status">
        <IconCheck size={18} aria-hidden />
        <a href={link.short_url} target="_blank" rel="noreferrer" className={ui.mono}>
          {shownAddress(link.short_url)}
        </a>
        <CopyButton text={link.short_url} label="Copy the short link" />
      </div>
      <Text c="dimmed" className={classes.breaks}>
        leads to {link.url}
      </Text>
      <Group gap="xs">
        <ButtonLink
          to="/w/$workspace/links/$id"
          params={{ workspace: workspace.slug, id: link.id }}
          variant="default"
        >
          Open its page
        </ButtonLink>
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={onAnother}>
          Create another
        </Button>
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
