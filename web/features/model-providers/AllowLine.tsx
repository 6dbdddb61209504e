/** The setting that allows an address, where a refusal names one, to be copied. */
import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { getAllowLine } from './provider-form.ts';

export function AllowLine({ text }: { text: string | undefined }) {
  const line = getAllowLine(text);
  if (line === null) return null;
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {t('Add this to the settings of the Fairlead server and restart it:')}
      </Text>
      <CodeBlock text={line} label={t('Copy setting')} />
    </div>
  );
}
