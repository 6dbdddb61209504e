/** Creates or edits a domain. */
import { TextInput } from '@mantine/core';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { createDomain, type DomainChange, type NewDomain, updateDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { withScheme } from '../../design/addresses.ts';
import { changes } from '../../design/changes.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';

interface DomainDialogProps {
  opened: boolean;
  /** The domain to edit; null to create one. */
  domain: Domain | null;
  onClose: () => void;
  onDone: (domain: Domain) => void;
}

interface DomainForm {
  host: string;
  root_url: string;
  not_found_url: string;
  metadata: MetadataPair[];
}

const toDomainForm = (domain: Domain | null): DomainForm => ({
  host: domain?.host ?? '',
  root_url: domain?.root_url ?? '',
  not_found_url: domain?.not_found_url ?? '',
  metadata: toPairs(domain?.metadata),
});

const getWanted = ({ root_url: root, not_found_url: notFound, metadata }: DomainForm) => ({
  root_url: withScheme(root) || null,
  not_found_url: withScheme(notFound) || null,
  metadata: getMetadata(metadata),
});

const toBody = (form: DomainForm): NewDomain => ({
  host: form.host.trim(),
  ...changes(getWanted(form), { root_url: null, not_found_url: null, metadata: {} }),
});

const toChange = (form: DomainForm, domain: Domain): DomainChange => changes(getWanted(form), domain);

export function DomainDialog({ opened, domain, onClose, onDone }: DomainDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={domain ? t('Edit {host}', { host: domain.host }) : t('Create domain')}
    >
      <DomainDialogForm domain={domain} onDone={onDone} />
    </FormDialog>
  );
}

function DomainDialogForm({ domain, onDone }: Pick<DomainDialogProps, 'domain' | 'onDone'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm({
    object: domain,
    path: '/domains',
    fill: toDomainForm,
    getChange: toChange,
    save: (values, base, version) =>
      base
        ? updateDomain(workspace.id, base.id, toChange(values, base), version)
        : createDomain(workspace.id, toBody(values)),
    done: onDone,
  });
  const { base } = form;
  return (
    <FormBody
      form={form}
      submit={domain ? t('Save') : t('Create domain')}
      call={
        base
          ? { method: 'PATCH', path: `/domains/${base.id}`, body: toChange(form.values, base) }
          : { method: 'POST', path: '/domains', body: toBody(form.values) }
      }
    >
      {!domain && (
        <TextInput
          label={t('Hostname')}
          description={t("A hostname that isn't used for anything else, such as links.example.com.")}
          placeholder="links.example.com"
          spellCheck={false}
          autoCapitalize="none"
          inputMode="url"
          data-autofocus
          {...form.text('host')}
        />
      )}
      <TextInput
        label={t('Root URL')}
        description={t('Where to send visitors of the domain without a slug.')}
        placeholder="https://example.com/"
        spellCheck={false}
        {...form.text('root_url')}
      />
      <TextInput
        label={t('Not found URL')}
        description={t("Where to send visitors when a link doesn't exist.")}
        placeholder="https://example.com/lost"
        spellCheck={false}
        {...form.text('not_found_url')}
      />
      <MetadataField form={form} />
    </FormBody>
  );
}
