/** Creates or edits a domain. */
import { TextInput } from '@mantine/core';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { t } from '../../copy/text.ts';
import { createDomain, type NewDomain, updateDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { withScheme } from '../../design/addresses.ts';
import { changes } from '../../design/changes.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import type { EditForm } from '../../patterns/form/use-edit-form.ts';

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

export const DomainDialog = (props: ObjectDialogProps<Domain>) => (
  <EditDialog
    {...props}
    create={t('Create domain')}
    edit={({ host }) => t('Edit {host}', { host })}
    fill={toDomainForm}
    call={(form, domain) =>
      domain ? updateDomain(domain.id, changes(getWanted(form), domain)) : createDomain(toBody(form))
    }
  >
    {(form) => <Fields form={form} />}
  </EditDialog>
);

function Fields({ form }: { form: EditForm<DomainForm, Domain | null> }) {
  return (
    <>
      {!form.base && (
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
    </>
  );
}
