/** The dialog that creates or edits a tag. */
import { Input, Radio, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { createTag, type NewTag, updateTag } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { changes } from '../../design/changes.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import classes from './tags.module.css';

interface TagDialogProps {
  opened: boolean;
  /** Null creates one. */
  tag: Tag | null;
  onClose: () => void;
  onDone: (tag: Tag) => void;
}

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

const toChange = (form: TagForm, tag: Tag) => changes(getWanted(form), tag);

const toBody = (form: TagForm): NewTag => {
  const { metadata, ...body } = getWanted(form);
  return Object.keys(metadata).length === 0 ? body : { ...body, metadata };
};

export function TagDialog({ opened, tag, onClose, onDone }: TagDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={tag ? t('Edit tag') : t('Create tag')}>
      <TagDialogForm tag={tag} onDone={onDone} />
    </FormDialog>
  );
}

function TagDialogForm({ tag, onDone }: Pick<TagDialogProps, 'tag' | 'onDone'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm({
    object: tag,
    path: '/tags',
    fill: toTagForm,
    getChange: toChange,
    save: (values, base, version) =>
      base
        ? updateTag(workspace.id, base.id, toChange(values, base), version)
        : createTag(workspace.id, toBody(values)),
    done: onDone,
  });
  const { base } = form;
  return (
    <FormBody
      form={form}
      submit={tag ? t('Save') : t('Create tag')}
      call={
        base
          ? { method: 'PATCH', path: `/tags/${base.id}`, body: toChange(form.values, base) }
          : { method: 'POST', path: '/tags', body: toBody(form.values) }
      }
    >
      <TextInput
        label={t('Name')}
        description={tag ? t('Links with this tag show the new name immediately.') : undefined}
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
    </FormBody>
  );
}
