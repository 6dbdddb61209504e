/** The header of a link's page: short link, destination and actions. */
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { shownAddress } from '../../design/addresses.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { TextLink } from '../../design/links.tsx';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { LinkState } from './LinkState.tsx';
import classes from './link.module.css';

interface LinkHeaderProps {
  link: Link;
  actions: readonly Action<Link>[];
}

export function LinkHeader({ link, actions }: LinkHeaderProps) {
  const { workspace } = useWorkspace();
  return (
    <>
      <TextLink to="/w/$workspace/links" params={{ workspace: workspace.slug }} className={classes.back}>
        {t('Links')}
      </TextLink>
      <PageHeader
        title={shownAddress(link.short_url)}
        beside={<CopyButton text={link.short_url} label={t('Copy short link')} />}
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
          {t('Visit')}
        </Button>
        <ActionButtons record={link} of={shownAddress(link.short_url)} actions={actions} />
      </PageHeader>
    </>
  );
}
