/** How a receiver checks that a delivery is ours. */
import { Text } from '@mantine/core';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import ui from '../../ui/ui.module.css';

const SNIPPET = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.FAIRLEAD_WEBHOOK_SECRET);
// Throws where the signature is wrong. The body must be the text as it came.
const event = webhook.verify(body, headers);`;

export function VerifySnippet() {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={6}>
        Deliveries follow Standard Webhooks, so any of its libraries verifies them; in Node, after{' '}
        <span className={ui.mono}>npm install standardwebhooks</span>:
      </Text>
      <CodeBlock text={SNIPPET} label="Copy the snippet" wrap />
    </div>
  );
}
