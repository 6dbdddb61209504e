/** Creates or edits a link. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { createLink, updateLink } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { shownAddress } from '../../design/addresses.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { FormBody, FormSheet } from '../../patterns/form/form-frame.tsx';
import { ButtonLink } from '../../design/links.tsx';
import ui from '../../design/ui.module.css';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { type LinkForm, toBody, toChange, toLinkForm } from './link-form.ts';
import { LinkFields } from './LinkFields.tsx';
import classes from './links.module.css';

export function LinkSheet({ opened, object: link, onClose, onDone }: ObjectDialogProps<Link>) {
  const [created, setCreated] = useState<Link | null>(null);
  // Each new link starts with an empty form.
  const [count, setCount] = useState(0);
  const close = () => {
    onClose();
    setCreated(null);
    setCount(count + 1);
  };
  return (
    <FormSheet
      opened={opened}
      onClose={close}
      title={
        link
          ? t('Edit {short_url}', { short_url: shownAddress(link.short_url) })
          : created
            ? t('Short link created')
            : t('Create link')
      }
    >
      {created ? (
        <CreatedLink
          link={created}
          onAnother={() => {
            setCreated(null);
            setCount(count + 1);
          }}
          onClose={close}
        />
      ) : (
        <LinkSheetForm
          key={link?.id ?? count}
          link={link}
          onDone={(done) => {
            if (!link) setCreated(done);
            onDone(done);
          }}
        />
      )}
    </FormSheet>
  );
}

interface LinkSheetFormProps {
  link: Link | null;
  onDone: (link: Link) => void;
}

function LinkSheetForm({ link, onDone }: LinkSheetFormProps) {
  const form = useEditForm<Link | null, LinkForm, Link>({
    object: link,
    fill: toLinkForm,
    call: (values, base, isShown) =>
      base ? updateLink(base.id, toChange(values, base, isShown)) : createLink(toBody(values, isShown)),
    done: onDone,
  });
  return (
    <FormBody form={form} submit={link ? t('Save') : t('Create link')} gap="lg">
      <LinkFields form={form} link={form.base} />
    </FormBody>
  );
}

interface CreatedLinkProps {
  link: Link;
  onAnother: () => void;
  onClose: () => void;
}

/** Shows the new short link, ready to copy. */
function CreatedLink({ link, onAnother, onClose }: CreatedLinkProps) {
  const { workspace } = useWorkspace();
  return (
    <Stack gap="lg">
      <div className={classes.made} role="status">
        <IconCheck size={18} aria-hidden />
        <a href={link.short_url} target="_blank" rel="noreferrer" className={ui.mono}>
          {shownAddress(link.short_url)}
        </a>
        <CopyButton text={link.short_url} label={t('Copy short link')} />
      </div>
      <Text c="dimmed" className={atoms.breaks}>
        {t('Redirects to {url}', { url: link.url })}
      </Text>
      <Group gap="xs">
        <ButtonLink
          to="/w/$workspace/links/$id"
          params={{ workspace: workspace.slug, id: link.id }}
          variant="default"
        >
          {t('View link')}
        </ButtonLink>
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={onAnother}>
          {t('Create another')}
        </Button>
        <Button onClick={onClose} data-autofocus>
          {t('Done')}
        </Button>
      </Group>
    </Stack>
  );
}
