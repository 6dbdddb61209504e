/** The dialog that creates or edits a tag. */
import { Input, Radio, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { createTag, type NewTag, updateTag } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import type { EditForm } from '../../patterns/form/use-edit-form.ts';
import classes from './tags.module.css';

const COLOR_NAMES: Record<Tag['color'], string> = {
  red: t('Red'),
  orange: t('Orange'),
  yellow: t('Yellow'),
  lime: t('Lime'),
  green: t('Green'),
  teal: t('Teal'),
  cyan: t('Cyan'),
  blue: t('Blue'),
  indigo: t('Indigo'),
  violet: t('Violet'),
  grape: t('Grape'),
  pink: t('Pink'),
  gray: t('Gray'),
};
const COLORS = Object.keys(COLOR_NAMES) as Tag['color'][];

interface TagForm {
  name: string;
  /** Empty: the server chooses one. */
  color: Tag['color'] | '';
  metadata: MetadataPair[];
}

const toTagForm = (tag: Tag | null): TagForm => ({
  name: tag?.name ?? '',
  color: tag?.color ?? '',
  metadata: toPairs(tag?.metadata),
});

const getWanted = ({ name, color, metadata }: TagForm) => ({
  name: name.trim(),
  ...(color !== '' && { color }),
  metadata: getMetadata(metadata),
});

const toBody = (form: TagForm): NewTag => {
  const { metadata, ...body } = getWanted(form);
  return Object.keys(metadata).length === 0 ? body : { ...body, metadata };
};

export const TagDialog = (props: ObjectDialogProps<Tag>) => (
  <EditDialog
    {...props}
    create={t('Create tag')}
    edit={() => t('Edit tag')}
    fill={toTagForm}
    call={(form, tag) => (tag ? updateTag(tag.id, changes(getWanted(form), tag)) : createTag(toBody(form)))}
  >
    {(form) => <Fields form={form} />}
  </EditDialog>
);

function Fields({ form }: { form: EditForm<TagForm, Tag | null> }) {
  return (
    <>
      <TextInput
        label={t('Name')}
        description={form.base ? t('Links with this tag show the new name immediately.') : undefined}
        placeholder="spring"
        maxLength={50}
        data-autofocus
        {...form.text('name')}
      />
      <Input.Wrapper label={t('Color')} labelElement="div" error={form.error('color')}>
        <Radio.Group
          aria-label={t('Color')}
          value={form.values.color}
          onChange={(color) => form.set('color', COLORS.find((one) => one === color) ?? '')}
        >
          <div className={classes.colors}>
            {COLORS.map((color) => (
              <Radio
                key={color}
                value={color}
                size="sm"
                classNames={{ radio: classes.color }}
                style={{ '--color': `var(--mantine-color-${color}-6)` }}
                label={COLOR_NAMES[color]}
              />
            ))}
          </div>
        </Radio.Group>
      </Input.Wrapper>
      <MetadataField form={form} />
    </>
  );
}
