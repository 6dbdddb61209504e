/** The command of the first call, ready to run where the key's secret is still at hand. */
import { Anchor, Text } from '@mantine/core';
import { curlFor } from '../../api/curl.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';

interface FirstCallProps {
  secret: string | undefined;
  onAnother: () => void;
}

export function FirstCall({ secret, onAnother }: FirstCallProps) {
  const command = curlFor({ method: 'GET', path: '/me' }, secret);
  return (
    <>
      <Text c="dimmed" mb={8}>
        {secret ? (
          'Run this in a terminal. It asks the API who the key is.'
        ) : (
          <>
            Put your key in <code>FAIRLEAD_API_KEY</code> and run this, or{' '}
            <Anchor component="button" type="button" onClick={onAnother}>
              make another key
            </Anchor>
            .
          </>
        )}
      </Text>
      <CodeBlock text={command} label="Copy command" wrap />
    </>
  );
}
