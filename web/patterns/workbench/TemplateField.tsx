/** A field for a Liquid template, with highlighting, completion, and its errors marked. */
import { Input } from '@mantine/core';
import { Suspense, useId, useRef } from 'react';
import { lazily } from '../lazily.ts';
import classes from './code-editor.module.css';

const CodeEditor = lazily(() => import('./CodeEditor.tsx'), 'CodeEditor');

interface TemplateFieldProps {
  label: string;
  description?: React.ReactNode;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
  /** Single line: Enter is ignored. */
  single?: boolean;
  /** Takes an expression without braces. */
  bare?: boolean;
  required?: boolean;
  /** Shows the label to screen readers only. */
  labelHidden?: boolean;
  maxLength?: number;
}

export function TemplateField(props: TemplateFieldProps) {
  const { label, description, placeholder, value, onChange, error, maxLength } = props;
  const { single = false, bare = false, required = false, labelHidden = false } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const focus = () => box.current?.querySelector<HTMLElement>('[role="textbox"]')?.focus();
  const described = [description && `${id}-description`, error !== undefined && `${id}-error`];
  return (
    <Input.Wrapper
      id={id}
      label={labelHidden ? undefined : label}
      // A `label` applies only to form controls, and the editor's text box is not one.
      labelElement="div"
      labelProps={{ onClick: focus }}
      description={description}
      error={error}
      required={required}
    >
      <div
        ref={box}
        className={classes.box}
        data-single={single || undefined}
        data-faulty={error !== undefined || undefined}
      >
        <Suspense fallback={<div className={classes.loading}>{value}</div>}>
          <CodeEditor
            value={value}
            onChange={onChange}
            attributes={{
              'aria-label': label,
              'aria-describedby': described.filter(Boolean).join(' '),
              'aria-invalid': String(error !== undefined),
              'aria-required': String(required),
            }}
            error={error}
            placeholder={placeholder}
            single={single}
            bare={bare}
            maxLength={maxLength}
          />
        </Suspense>
      </div>
    </Input.Wrapper>
  );
}
