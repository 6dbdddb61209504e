/** Creates or edits a contact. */
import { TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { createContact, updateContact } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { toBody, toChange, toContactForm } from './contact-form.ts';
import { IdentityFields } from './IdentityFields.tsx';

interface ContactDialogProps {
  opened: boolean;
  /** Null creates one. */
  contact: Contact | null;
  onClose: () => void;
  onDone: (contact: Contact) => void;
}

export function ContactDialog({ opened, contact, onClose, onDone }: ContactDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={contact ? t('Edit contact') : t('Create contact')}>
      <ContactDialogForm contact={contact} onDone={onDone} />
    </FormDialog>
  );
}

function ContactDialogForm({ contact, onDone }: Pick<ContactDialogProps, 'contact' | 'onDone'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm({
    object: contact,
    path: '/contacts',
    fill: toContactForm,
    getChange: toChange,
    save: (values, base, version) =>
      base
        ? updateContact(workspace.id, base.id, toChange(values, base), version)
        : createContact(workspace.id, toBody(values)),
    done: onDone,
  });
  const { base } = form;
  return (
    <FormBody
      form={form}
      submit={contact ? t('Save') : t('Create contact')}
      call={
        base
          ? { method: 'PATCH', path: `/contacts/${base.id}`, body: toChange(form.values, base) }
          : { method: 'POST', path: '/contacts', body: toBody(form.values) }
      }
    >
      <TextInput
        label={t('Name')}
        placeholder={contact?.profile_name ?? ''}
        data-autofocus
        {...form.text('name')}
      />
      <IdentityFields form={form} />
      <TextInput
        label={t('Avatar URL')}
        description={t("Link to an image. Fairlead stores the link but doesn't load the image.")}
        placeholder="https://"
        {...form.text('avatar_url')}
      />
      <MetadataField form={form} />
    </FormBody>
  );
}
