/** The pairing code or link of an account, as JSON or as a picture. */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Answer, type Operation, operation } from '../../../core/api/operation.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { qrPng, qrSvg, qrText } from '../../../platform/qr/qr.ts';
import { type PAIRING_FORMATS, Pairing, type PairingObject, PairingQuery } from './instance.schema.ts';
import { getPairing } from './pairing.service.ts';

type Format = (typeof PAIRING_FORMATS)[number];

const PICTURES = {
  text: { type: 'text/plain', contentType: 'text/plain; charset=utf-8', make: qrText },
  png: { type: 'image/png', contentType: 'image/png', make: qrPng },
  svg: { type: 'image/svg+xml', contentType: 'image/svg+xml', make: qrSvg },
} as const;

/** Returns the first requested picture format; JSON if that is also accepted or nothing is requested. */
function getFormat(accept: string | undefined): Format {
  const wanted = (accept ?? '').toLowerCase();
  if (wanted.includes('application/json')) return 'json';
  const formats = ['png', 'svg', 'text'] as const;
  const found = formats.find((format) => wanted.includes(PICTURES[format].type));
  return found ?? (wanted.includes('image/*') ? 'png' : wanted.includes('text/*') ? 'text' : 'json');
}

function picture(pairing: PairingObject, format: Exclude<Format, 'json'>): Answer<PairingObject> {
  if (pairing.kind === 'code')
    throw new Problem('conflict', 'The pairing code must be typed; there is no QR code. Use format=json.');
  const { make, contentType } = PICTURES[format];
  // Bytes and text are sent unchanged, whatever the schema of the JSON is.
  return { body: make(pairing.data) as never, headers: { 'content-type': contentType } };
}

export const pairingOperations = ({ secrets }: { secrets: SecretBox }): Operation[] => [
  operation(
    {
      id: 'instances.pairing',
      method: 'GET',
      path: '/instances/{id}/pairing',
      tag: 'Instances',
      summary: "Get an instance's pairing code",
      description:
        'Returns the QR code, text code or link for connecting the account on another device, while the state is `action_required`. A new code is created before the current one expires, so poll for changes. Anyone with the code can connect the account, so this operation requires write access.',
      access: 'instances:write',
      params: IdParams('instance'),
      query: PairingQuery,
      confidential: true,
      produces: ['text/plain', 'image/png', 'image/svg+xml'],
      success: { status: 200, description: 'The pairing step and its expiry.', schema: Pairing },
      errors: ['conflict'],
    },
    async ({ actor, params, query, unit, request }) => {
      const id = requireUuid('instance', params.id);
      const pairing = await getPairing(unit, secrets, actor.workspaceId, id);
      const format = query.format ?? getFormat(request.headers.accept);
      return format === 'json' ? { body: pairing } : picture(pairing, format);
    },
  ),
];
