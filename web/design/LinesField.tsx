/** A list of short texts, one a line; pasted lists with commas or spaces are taken apart too. */
import { Textarea } from '@mantine/core';
import { useState } from 'react';

interface LinesFieldProps {
  label: string;
  description?: string;
  placeholder?: string;
  value: readonly string[];
  onChange: (lines: string[]) => void;
  error?: string | undefined;
}

const getLines = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

export function LinesField({ value, onChange, ...others }: LinesFieldProps) {
  // The text as typed, including unfinished lines; the list is derived from it.
  const [text, setText] = useState(value.join('\n'));
  return (
    <Textarea
      autosize
      minRows={1}
      maxRows={8}
      spellCheck={false}
      autoCapitalize="off"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(getLines(currentTarget.value));
      }}
      {...others}
    />
  );
}
