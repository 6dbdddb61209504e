/** Which link it is, where it leads, and what can be done with it. */
import { Button, Group } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconExternalLink, IconPencil } from '@tabler/icons-react';
import type { Link } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { shownAddress } from '../../ui/addresses.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextLink } from '../../ui/links.tsx';
import { MiddleCut } from '../../ui/MiddleCut.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import type { LinkAction } from '../links/link-columns.tsx';
import { LinkState } from '../links/LinkState.tsx';
import classes from './link.module.css';

interface LinkHeaderProps {
  link: Link;
  onAction: (action: LinkAction) => void;
}

export function LinkHeader({ link, onAction }: LinkHeaderProps) {
  const { workspace } = useWorkspace();
  const writes = useCan('links:write');
  const archived = link.state === 'archived';
  return (
    <>
      <TextLink to="/w/$workspace/links" params={{ workspace: workspace.slug }} className={classes.back}>
        Links
      </TextLink>
      <PageHeader
        title={shownAddress(link.short_url)}
        beside={<CopyButton text={link.short_url} label="Copy the short link" />}
        description={
          <span className={classes.under}>
            <LinkState state={link.state} />
            <span className={classes.target}>
              <MiddleCut text={link.url} />
            </span>
          </span>
        }
      >
        <Button
          component="a"
          href={link.short_url}
          target="_blank"
          rel="noreferrer"
          variant="default"
          leftSection={<IconExternalLink size={16} />}
        >
          Visit
        </Button>
        {writes && (
          <Group gap="xs">
            <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => onAction('edit')}>
              Change
            </Button>
            <Button
              variant="default"
              leftSection={archived ? <IconArchiveOff size={16} /> : <IconArchive size={16} />}
              onClick={() => onAction('archive')}
            >
              {archived ? 'Restore' : 'Archive'}
            </Button>
            <RowMenu
              of="the link"
              actions={[{ label: 'Delete', danger: true, onClick: () => onAction('delete') }]}
            />
          </Group>
        )}
      </PageHeader>
    </>
  );
}
