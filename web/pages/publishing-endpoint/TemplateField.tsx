/** A field for a Liquid template: mono, as tall as its text, with what Liquid will replace marked. */
import { Input } from '@mantine/core';
import { useId } from 'react';
import classes from './template-field.module.css';

interface TemplateFieldProps {
  label: string;
  description?: React.ReactNode;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
  /** One line: Enter does nothing. */
  single?: boolean;
  /** An expression, without braces. */
  bare?: boolean;
  required?: boolean;
  /** The label is for screen readers alone. */
  labelHidden?: boolean;
  maxLength?: number;
}

const MARKS = /(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})/;

/** Parts at odd places are Liquid's. */
const marked = (text: string): React.ReactNode[] =>
  text.split(MARKS).map((part, at) =>
    at % 2 === 1 ? (
      // oxlint-disable-next-line react/no-array-index-key -- a part is its place
      <mark key={at}>{part}</mark>
    ) : (
      part
    ),
  );

export function TemplateField(props: TemplateFieldProps) {
  const { label, description, placeholder, value, onChange, error, maxLength } = props;
  const { single = false, bare = false, required = false, labelHidden = false } = props;
  const id = useId();
  return (
    <Input.Wrapper
      id={id}
      label={labelHidden ? undefined : label}
      description={description}
      error={error}
      withAsterisk={false}
      required={required}
    >
      <div
        className={classes.box}
        data-single={single || undefined}
        data-faulty={error !== undefined || undefined}
      >
        <div className={classes.back} aria-hidden>
          {bare ? value : marked(value)}
          {/* A last line that is empty has a height too. */}
          {'\u200B'}
        </div>
        <textarea
          id={id}
          className={classes.text}
          aria-label={labelHidden ? label : undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          aria-invalid={error !== undefined || undefined}
          data-template
          data-bare={bare || undefined}
          rows={single ? 1 : 3}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          placeholder={placeholder}
          maxLength={maxLength}
          value={value}
          onChange={({ currentTarget }) =>
            onChange(single ? currentTarget.value.replaceAll('\n', ' ') : currentTarget.value)
          }
          onKeyDown={(event) => {
            if (single && event.key === 'Enter' && !event.nativeEvent.isComposing) event.preventDefault();
          }}
        />
      </div>
    </Input.Wrapper>
  );
}
