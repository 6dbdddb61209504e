/**
 * Signs in (RFC 6120, section 6). SCRAM is used if the server supports it, so that the server never sees the password
 * and must prove that it knows it. PLAIN is used only over TLS, or if the settings explicitly allow it, so that no
 * server can force it.
 */
import xml, { type Element } from '@xmpp/xml';
import { lost, refused, toSaslError } from './errors.ts';
import { NS } from './namespaces.ts';
import { createScram, SCRAM_HASHES, ScramFault, type ScramMechanism } from './scram.ts';
import type { Wire } from './wire.ts';

export interface Login {
  user: string;
  password: string;
  /** Whether the password itself may be sent. */
  allowsPlain: boolean;
}

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
const MECHANISMS = Object.keys(SCRAM_HASHES) as ScramMechanism[];

/** @throws DriverError refused, lost */
export async function signIn(wire: Wire, features: Element, login: Login): Promise<void> {
  const offered = new Set(
    features
      .getChild('mechanisms', NS.sasl)
      ?.getChildren('mechanism')
      .map((mechanism) => mechanism.getText().trim()) ?? [],
  );
  const scram = MECHANISMS.find((name) => offered.has(name));
  if (scram) return byScram(wire, scram, login);
  if (!offered.has('PLAIN'))
    throw refused('no_mechanism', 'The server supports none of the sign-in methods SCRAM and PLAIN.');
  if (!login.allowsPlain)
    throw refused(
      'plain_refused',
      'Without TLS, the server wants the password itself. It is given only where the settings say plain_password.',
    );
  const answer = await ask(wire, 'auth', 'PLAIN', `\0${login.user}\0${login.password}`);
  if (answer.getName() !== 'success') throw outOfTurn();
}

async function byScram(wire: Wire, mechanism: ScramMechanism, { user, password }: Login): Promise<void> {
  const scram = createScram(mechanism, user, password);
  try {
    const challenge = await ask(wire, 'auth', mechanism, scram.first);
    if (challenge.getName() !== 'challenge') throw outOfTurn();
    const last = await ask(wire, 'response', null, await scram.answer(decode(challenge.getText())));
    scram.verify(decode(last.getText()));
    // Older servers send their proof in a separate challenge.
    if (last.getName() === 'challenge' && (await ask(wire, 'response', null, '')).getName() !== 'success')
      throw outOfTurn();
  } catch (error) {
    if (!(error instanceof ScramFault)) throw error;
    throw refused('server_not_trusted', error.message, error);
  }
}

const outOfTurn = () => lost('invalid_stream', 'The server sent an invalid sign-in response.');

/** @throws DriverError on failure */
async function ask(
  wire: Wire,
  name: 'auth' | 'response',
  mechanism: string | null,
  text: string,
): Promise<Element> {
  const attributes = { xmlns: NS.sasl, ...(mechanism === null ? {} : { mechanism }) };
  await wire.write(xml(name, attributes, encode(text)).toString());
  const answer = await wire.next();
  if (answer.is('failure', NS.sasl)) throw toSaslError(answer);
  if (!answer.is('challenge', NS.sasl) && !answer.is('success', NS.sasl)) throw outOfTurn();
  return answer;
}
