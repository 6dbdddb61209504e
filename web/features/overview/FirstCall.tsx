/** The command of the first call. It includes the key's secret if the key was just created. */
import { Anchor, Text } from '@mantine/core';
import { rich, t } from '../../copy/text.ts';
import { curlFor } from '../../api/curl.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';

interface FirstCallProps {
  secret: string | undefined;
  onAnother: () => void;
}

export function FirstCall({ secret, onAnother }: FirstCallProps) {
  const command = curlFor({ method: 'GET', path: '/me' }, secret);
  return (
    <>
      <Text c="dimmed" mb={8}>
        {secret
          ? t('Run this command in a terminal. It calls the API with your key.')
          : rich(
              'Set <code>FAIRLEAD_API_KEY</code> to your key and run this command, or <a>create another key</a>.',
              {
                code: (words) => <code>{words}</code>,
                a: (words) => (
                  <Anchor component="button" type="button" onClick={onAnother}>
                    {words}
                  </Anchor>
                ),
              },
            )}
      </Text>
      <CodeBlock text={command} label={t('Copy command')} />
    </>
  );
}
