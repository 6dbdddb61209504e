/** Makes a tag, or changes one. */
import { Button, Input, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { createTag, type NewTag, updateTag } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { changes } from '../../ui/changes.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import classes from './tags.module.css';

interface TagDialogProps {
  opened: boolean;
  /** null makes one. */
  tag: Tag | null;
  onClose: () => void;
  onDone: (tag: Tag) => void;
}

const COLORS: Tag['color'][] = [
  'gray',
  'red',
  'pink',
  'grape',
  'violet',
  'indigo',
  'blue',
  'cyan',
  'teal',
  'green',
  'lime',
  'yellow',
  'orange',
];

interface TagForm {
  name: string;
  /** Empty: one that follows from the name. */
  color: Tag['color'] | '';
}

const bodyOf = ({ name, color }: TagForm): NewTag => ({ name: name.trim(), ...(color !== '' && { color }) });

export function TagDialog({ opened, tag, ...rest }: TagDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={tag ? 'Change the tag' : 'Create a tag'}
      closeOnClickOutside={false}
    >
      <TagDialogForm tag={tag} {...rest} />
    </Modal>
  );
}

function TagDialogForm({ tag, onClose, onDone }: Omit<TagDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm<TagForm, Tag>(
    { name: tag?.name ?? '', color: tag?.color ?? '' },
    (values) =>
      tag
        ? updateTag(workspace.id, tag.id, changes(bodyOf(values), tag))
        : createTag(workspace.id, bodyOf(values)),
    onDone,
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          description={tag ? 'Its links show the new name at once' : undefined}
          placeholder="spring"
          maxLength={50}
          data-autofocus
          {...form.text('name')}
        />
        <Input.Wrapper label="Colour" labelElement="div" error={form.error('color')}>
          <Radio.Group
            aria-label="Colour"
            value={form.values.color}
            onChange={(color) => form.set('color', COLORS.find((one) => one === color) ?? '')}
          >
            <div className={classes.colors}>
              {COLORS.map((color) => (
                <Radio
                  key={color}
                  value={color}
                  size="xs"
                  color={color}
                  label={
                    <span className={ui.state}>
                      <span
                        className={ui.dot}
                        style={{ '--dot': `var(--mantine-color-${color}-6)` } as React.CSSProperties}
                        aria-hidden
                      />
                      {color}
                    </span>
                  }
                />
              ))}
            </div>
          </Radio.Group>
        </Input.Wrapper>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={
            tag
              ? { method: 'PATCH', path: `/tags/${tag.id}`, body: changes(bodyOf(form.values), tag) }
              : { method: 'POST', path: '/tags', body: bodyOf(form.values) }
          }
        />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {tag ? 'Save' : 'Create tag'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
