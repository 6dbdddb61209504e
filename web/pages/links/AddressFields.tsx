/** The short address: host and slug. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linkHostsQuery } from '../../api/domains.ts';
import type { Link } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import type { Form } from '../../ui/use-form.ts';
import type { LinkForm } from './link-form.ts';
import classes from './links.module.css';

interface AddressFieldsProps {
  form: Form<LinkForm>;
  /** null for one that is to be made. */
  link: Link | null;
}

/** The slug that the server offers in the place of one that is taken. */
const offered = (fault: string | undefined): string | undefined =>
  /taken; (\S+) is free$/.exec(fault ?? '')?.[1];

export function AddressFields({ form, link }: AddressFieldsProps) {
  const { workspace } = useWorkspace();
  const { data: hosts = [] } = useQuery({
    ...linkHostsQuery(workspace.id),
    enabled: useCan('domains:read'),
  });
  const { domain } = form.values;
  const own = link !== null && !hosts.includes(link.domain) ? link.domain : window.location.host;
  const choices = [
    { value: link === null ? '' : own, label: own },
    ...hosts.map((host) => ({ value: host, label: host })),
  ];
  const fault = form.error('slug');
  const free = offered(fault);
  return (
    <div className={classes.address}>
      {choices.length > 1 && (
        <NativeSelect
          label="Domain"
          data={choices}
          value={domain}
          onChange={({ currentTarget }) => form.set('domain', currentTarget.value)}
          error={form.error('domain')}
        />
      )}
      <TextInput
        label="Short link"
        description={
          link === null
            ? `What stands behind ${domain || own}/; left empty, seven characters are made`
            : 'Its old address leads nowhere as soon as it has another'
        }
        placeholder={link === null ? 'made for you' : ''}
        spellCheck={false}
        autoCapitalize="none"
        maxLength={100}
        {...form.text('slug')}
        error={
          free === undefined ? (
            fault
          ) : (
            <>
              {`${form.values.slug} is taken. `}
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => form.set('slug', free)}
              >{`Take ${free}`}</Button>
            </>
          )
        }
      />
    </div>
  );
}
