/** Sample code that verifies a delivery's signature. */
import { Text } from '@mantine/core';
import { rich, t } from '../../copy/text.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import ui from '../../design/ui.module.css';

const SNIPPET = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.FAIRLEAD_WEBHOOK_SECRET);
// Throws if the signature is invalid. Pass the raw request body.
const event = webhook.verify(body, headers);`;

export function VerifySnippet() {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={6}>
        {rich(
          'Deliveries follow the Standard Webhooks specification, so you can verify them with any of its libraries. In Node, run <code>npm install standardwebhooks</code>:',
          { code: (words) => <span className={ui.mono}>{words}</span> },
        )}
      </Text>
      <CodeBlock text={SNIPPET} label={t('Copy snippet')} />
    </div>
  );
}
