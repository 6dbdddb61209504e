/** Selects people from the contacts by name, or by any address. */
import { Combobox, Pill, PillsInput, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { rich, t } from '../../copy/text.ts';
import { contactsQuery } from '../../api/contacts.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import ui from '../../design/ui.module.css';
import classes from './groups.module.css';
import { getAddresses, contactPerson, type Person, getPerson, withPeople } from './people-field.ts';

interface PeopleFieldProps {
  label: string;
  description?: string;
  instanceId: string;
  /** Addresses that aren't suggested. */
  without?: readonly string[];
  value: readonly Person[];
  onChange: (people: Person[]) => void;
  /** Returns the error of a person by position. */
  errorAt: (index: number) => string | undefined;
  error?: string | undefined;
  'data-autofocus'?: true;
}

const SEARCH_DELAY_MS = 150;
const MAX_OPTIONS = 6;
/** Longest query that the API accepts. */
const MAX_QUERY = 200;
/** The option value for the entered text, next to contact IDs. */
const AS_TYPED = 'typed';

/** Finds contacts of an instance by words of the name, or by the start of an address. */
function useFound(instanceId: string, typed: string): Person[] {
  const { workspace } = useWorkspace();
  const reads = useCan('contacts:read');
  const [text] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS);
  const search = (by: object) => ({
    ...contactsQuery(workspace.id, { instance_id: instanceId, ...by }),
    enabled: reads && instanceId !== '' && text.length <= MAX_QUERY,
    placeholderData: keepPreviousData,
  });
  const byName = useInfiniteQuery(search(text === '' ? {} : { search: text }));
  const address = search({ address: text });
  const byAddress = useInfiniteQuery({ ...address, enabled: address.enabled && text !== '' });
  const contacts = [...(byName.data ?? []), ...(text === '' ? [] : (byAddress.data ?? []))];
  return withPeople(
    [],
    contacts.flatMap((contact) => contactPerson(contact, instanceId) ?? []),
  );
}

export function PeopleField(props: PeopleFieldProps) {
  const { instanceId, without = [], value, onChange, errorAt, error, label, description, ...rest } = props;
  const [typed, setTyped] = useState('');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const left = new Set([...value.map(({ address }) => address), ...without]);
  const found = useFound(instanceId, typed)
    .filter(({ address }) => !left.has(address))
    .slice(0, MAX_OPTIONS);
  const add = (people: readonly Person[]) => {
    if (people.length > 0) onChange(withPeople(value, people));
    setTyped('');
    combobox.closeDropdown();
  };
  const addTyped = () => add(getAddresses(typed).map(getPerson));
  const faults = value.flatMap((person, at) => {
    const fault = errorAt(at);
    return fault === undefined ? [] : [`${person.name}: ${fault}`];
  });
  const isExact = found.some(({ address }) => address === typed.trim());
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(id) => {
        if (id === AS_TYPED) addTyped();
        else add(found.filter(({ contactId }) => contactId === id));
      }}
    >
      <Combobox.DropdownTarget>
        <PillsInput
          label={label}
          description={description}
          error={[...(error === undefined ? [] : [error]), ...faults].join(' ') || undefined}
        >
          <Pill.Group>
            {value.map((person, at) => (
              <Pill
                key={person.address}
                className={classes.pill}
                data-wrong={errorAt(at) !== undefined || undefined}
                title={person.address}
                withRemoveButton
                removeButtonProps={{
                  'aria-label': t('Remove {name}', { name: person.name }),
                  tabIndex: 0,
                  'aria-hidden': false,
                }}
                onRemove={() => onChange(value.filter((one) => one !== person))}
              >
                {person.name}
              </Pill>
            ))}
            <Combobox.EventsTarget>
              <PillsInput.Field
                {...rest}
                placeholder={value.length === 0 ? t('Name or address') : ''}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                value={typed}
                onFocus={() => combobox.openDropdown()}
                onBlur={addTyped}
                onChange={({ currentTarget }) => {
                  setTyped(currentTarget.value);
                  combobox.openDropdown();
                  combobox.resetSelectedOption();
                }}
                onPaste={(event) => {
                  const pasted = getAddresses(event.clipboardData.getData('text'));
                  if (pasted.length < 2) return;
                  event.preventDefault();
                  add(pasted.map(getPerson));
                }}
                onKeyDown={(event) => {
                  const isOption = combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0;
                  if (event.key === 'Backspace' && typed === '') onChange(value.slice(0, -1));
                  if ((event.key !== 'Enter' || isOption) && event.key !== ',') return;
                  if (typed.trim() === '' && event.key === 'Enter') return;
                  event.preventDefault();
                  addTyped();
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={found.length === 0 && typed.trim() === ''}>
        <Combobox.Options>
          {found.map(({ contactId, name, address }) => (
            <Combobox.Option key={address} value={contactId ?? ''}>
              <span className={classes.option}>
                <PersonMark name={name} address={address} size={20} />
                <span dir="auto">{name}</span>
                {name !== address && (
                  <Text component="span" size="xs" c="dimmed" className={ui.mono}>
                    {address}
                  </Text>
                )}
              </span>
            </Combobox.Option>
          ))}
          {typed.trim() !== '' && !isExact && (
            <Combobox.Option value={AS_TYPED}>
              <span className={classes.option}>
                <span>
                  {rich('Add address <address></address>', {
                    address: () => <span className={ui.mono}>{typed.trim()}</span>,
                  })}
                </span>
              </span>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
