/** Creates or edits a contact. */
import { TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { createContact, updateContact } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { toBody, toChange, toContactForm } from './contact-form.ts';
import { IdentityFields } from './IdentityFields.tsx';

export const ContactDialog = (props: ObjectDialogProps<Contact>) => (
  <EditDialog
    {...props}
    create={t('Create contact')}
    edit={() => t('Edit contact')}
    fill={toContactForm}
    call={(form, base) => (base ? updateContact(base.id, toChange(form, base)) : createContact(toBody(form)))}
  >
    {(form) => (
      <>
        <TextInput
          label={t('Name')}
          placeholder={props.object?.profile_name ?? ''}
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
      </>
    )}
  </EditDialog>
);
