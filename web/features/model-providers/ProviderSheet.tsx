/** Creates a model provider, first its kind and then its form, or edits one. */
import { Badge, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowRight, IconChevronLeft } from '@tabler/icons-react';
import { useState } from 'react';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { modelProviderKindsQuery } from '../../api/model-providers.ts';
import type { ModelProvider, ModelProviderKind } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { FormSheet } from '../../patterns/form/form-frame.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import atoms from '../../design/atoms.module.css';
import instances from '../instances/instances.module.css';
import classes from './model-providers.module.css';
import { ProviderFormBody } from './ProviderForm.tsx';

export function ProviderSheet({ opened, object, onClose, onDone }: ObjectDialogProps<ModelProvider>) {
  return (
    <FormSheet
      opened={opened}
      onClose={onClose}
      title={object ? t('Edit {name}', { name: object.name }) : t('Connect model provider')}
    >
      <Content provider={object} onDone={onDone} />
    </FormSheet>
  );
}

interface ContentProps {
  provider: ModelProvider | null;
  onDone: (provider: ModelProvider) => void;
}

function Content({ provider, onDone }: ContentProps) {
  const { workspace } = useWorkspace();
  const [chosen, setChosen] = useState<string | null>(provider?.kind ?? null);
  const kinds = useQuery(modelProviderKindsQuery(workspace.id));
  const kind = kinds.data?.find(({ id }) => id === chosen);
  if (!kinds.data && kinds.error)
    return <FailedList error={kinds.error} retry={() => void kinds.refetch()} />;
  if (!kinds.data) return <LoadingList />;
  if (!kind) return <Kinds kinds={kinds.data} onChoose={setChosen} />;
  return (
    <>
      {!provider && (
        <UnstyledButton className={instances.other} onClick={() => setChosen(null)}>
          <IconChevronLeft size={14} /> {t('All providers')}
        </UnstyledButton>
      )}
      <Text c="dimmed" mb="md">
        {kind.description}
      </Text>
      <ProviderFormBody key={kind.id} kind={kind} provider={provider} onDone={onDone} />
    </>
  );
}

function Kinds({ kinds, onChoose }: { kinds: ModelProviderKind[]; onChoose: (kind: string) => void }) {
  // The option for any other server comes last, where users look for it.
  const others = kinds.filter(({ default_base_url: url }) => url === null);
  const known = kinds.filter(({ default_base_url: url }) => url !== null);
  return (
    <ul className={classes.kinds} aria-label={t('Kinds of providers')}>
      {[...known, ...others].map(({ id, name, description, is_local: isLocal }, index) => (
        <li key={id}>
          <UnstyledButton
            className={`${classes.kind} ${atoms.hoverable}`}
            data-autofocus={index === 0 || undefined}
            onClick={() => onChoose(id)}
          >
            <span>
              <strong>{name}</strong>
              <span>{description}</span>
            </span>
            {isLocal && <Badge>{t('Local')}</Badge>}
            <IconArrowRight size={16} />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
