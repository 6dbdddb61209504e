/** The domain and slug of a short link. */
import { Button, TextInput } from '@mantine/core';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { Link } from '../../api/types.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { DomainSelect } from '../domains/DomainSelect.tsx';
import type { LinkForm } from './link-form.ts';
import classes from './links.module.css';

interface AddressFieldsProps {
  form: ApiForm<LinkForm>;
  /** null for a new link. */
  link: Link | null;
}

export function AddressFields({ form, link }: AddressFieldsProps) {
  const { domain } = form.values;
  const { defaultDomain: own } = useWorkspace();
  const fault = form.error('slug');
  const free = form.suggestion('slug');
  return (
    <div className={classes.address}>
      <DomainSelect
        label={t('Domain')}
        placeholder={own}
        clearable={link === null}
        value={domain}
        // A new link is on this server's domain by default.
        onChange={(host) => form.set('domain', link === null && host === own ? '' : host)}
        error={form.error('domain')}
      />
      <TextInput
        label={t('Short link')}
        description={
          link === null
            ? t('The part after {domain}/. Leave blank to generate one.', { domain: domain || own })
            : t('Changing this breaks the old short link.')
        }
        placeholder={link === null ? t('Generated automatically') : ''}
        spellCheck={false}
        autoCapitalize="none"
        maxLength={100}
        {...form.text('slug')}
        error={
          free === null ? (
            fault
          ) : (
            <>
              {t('{slug} is already taken.', { slug: form.values.slug })}{' '}
              <Button size="compact-xs" variant="default" onClick={() => form.set('slug', free)}>
                {t('Use {free}', { free })}
              </Button>
            </>
          )
        }
      />
    </div>
  );
}
