/** The request of the playground as cURL and as code for the openai client. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { curlFor } from '../../api/curl.ts';
import { t } from '../../copy/text.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { type ChatBody, nodeCode, pythonCode } from './playground-request.ts';

const LANGUAGES = ['cURL', 'Node', 'Python'] as const;
type Language = (typeof LANGUAGES)[number];

function getCode(language: Language, body: ChatBody & { model: string }): string {
  if (language === 'Node') return nodeCode(body, window.location.origin);
  if (language === 'Python') return pythonCode(body, window.location.origin);
  const call = { method: 'POST', path: '/chat/completions', stream: true } as const;
  return curlFor({ ...call, body: { ...body, stream: true } });
}

export function RequestCode({ body }: { body: ChatBody & { model: string } }) {
  const [language, setLanguage] = useState<Language>('cURL');
  return (
    <Accordion title={t('Code')} note={t('cURL, Node, Python')}>
      <SegmentedControl
        size="xs"
        mb="xs"
        aria-label={t('Language')}
        data={[...LANGUAGES]}
        value={language}
        onChange={setLanguage}
      />
      <CodeBlock text={getCode(language, body)} label={t('Copy code')} maxHeight={240} />
    </Accordion>
  );
}
