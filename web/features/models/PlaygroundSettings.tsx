/** Settings that are sent with every message of the playground. */
import { Stack, Textarea, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import classes from './models.module.css';
import { readTools, type Settings } from './playground-request.ts';

interface PlaygroundSettingsProps {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

const TOOLS_EXAMPLE = `[{
  "type": "function",
  "function": {
    "name": "get_weather",
    "parameters": {…}
  }
}]`;

export function PlaygroundSettings({ settings, onChange }: PlaygroundSettingsProps) {
  const tools = readTools(settings.tools);
  const field = (name: keyof Settings) => ({
    value: settings[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ ...settings, [name]: currentTarget.value }),
  });
  return (
    <Stack gap="sm" className={classes.settings}>
      <Textarea
        label={t('System prompt')}
        placeholder={t('You reply in two sentences.')}
        autosize
        minRows={3}
        maxRows={10}
        {...field('system')}
      />
      <div className={classes.pair}>
        <TextInput
          label={t('Temperature')}
          placeholder={t('Default')}
          type="number"
          inputMode="decimal"
          min={0}
          max={2}
          step="0.1"
          {...field('temperature')}
        />
        <TextInput
          label={t('Max tokens')}
          placeholder={t('Default')}
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          {...field('max_tokens')}
        />
      </div>
      <Textarea
        label={t('Tools')}
        description={t('JSON, as in the OpenAI API.')}
        placeholder={TOOLS_EXAMPLE}
        autosize
        minRows={4}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: classes.json ?? '' }}
        error={'error' in tools ? tools.error : undefined}
        {...field('tools')}
      />
    </Stack>
  );
}
