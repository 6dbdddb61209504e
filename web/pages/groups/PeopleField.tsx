/** People by name, found among the contacts, or by any address. */
import { Combobox, Pill, PillsInput, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { contactsQuery } from '../../api/contacts.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import ui from '../../ui/ui.module.css';
import classes from './groups.module.css';
import { addressesOf, contactPerson, type Person, personOf, withPeople } from './people-field.ts';

interface PeopleFieldProps {
  label: string;
  description?: string;
  instanceId: string;
  value: readonly Person[];
  onChange: (people: Person[]) => void;
  /** What was said of the one at this place. */
  errorAt: (place: number) => string | undefined;
  error?: string | undefined;
  'data-autofocus'?: true;
}

const TYPED_MS = 150;
const SHOWN = 6;
/** Characters that the API looks for; no contact begins with more. */
const MAX_TYPED = 200;
/** Stands for what was typed, among the ids of contacts. */
const AS_TYPED = 'typed';

/** Contacts of the channel whose name or address begins so. */
function useFound(instanceId: string, typed: string): Person[] {
  const { workspace } = useWorkspace();
  const reads = useCan('contacts:read');
  const [text] = useDebouncedValue(typed.trim(), TYPED_MS);
  const look = (by: object) => ({
    ...contactsQuery(workspace.id, { instance_id: instanceId, ...by }),
    enabled: reads && instanceId !== '' && text.length <= MAX_TYPED,
    placeholderData: keepPreviousData,
  });
  const byName = useInfiniteQuery(look(text === '' ? {} : { name: text }));
  const address = look({ address: text });
  const byAddress = useInfiniteQuery({ ...address, enabled: address.enabled && text !== '' });
  const contacts = [...(byName.data ?? []), ...(text === '' ? [] : (byAddress.data ?? []))];
  return withPeople(
    [],
    contacts.flatMap((contact) => contactPerson(contact, instanceId) ?? []),
  );
}

export function PeopleField(props: PeopleFieldProps) {
  const { instanceId, value, onChange, errorAt, error, label, description, ...rest } = props;
  const [typed, setTyped] = useState('');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const chosen = new Set(value.map(({ address }) => address));
  const found = useFound(instanceId, typed)
    .filter(({ address }) => !chosen.has(address))
    .slice(0, SHOWN);
  const add = (people: readonly Person[]) => {
    if (people.length > 0) onChange(withPeople(value, people));
    setTyped('');
    combobox.closeDropdown();
  };
  const addTyped = () => add(addressesOf(typed).map(personOf));
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
                  'aria-label': `Remove ${person.name}`,
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
                placeholder={value.length === 0 ? 'Name or address' : ''}
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
                  const pasted = addressesOf(event.clipboardData.getData('text'));
                  if (pasted.length < 2) return;
                  event.preventDefault();
                  add(pasted.map(personOf));
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
                  Add the address <span className={ui.mono}>{typed.trim()}</span>
                </span>
              </span>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
