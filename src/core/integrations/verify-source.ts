/**
 * Source of a script that verifies deliveries inside another tool's flow: Standard Webhooks in plain JavaScript. It
 * loads no module, because Node-RED and n8n can forbid that, and computes SHA-256's constants from primes.
 *
 * `verify(secret, headers, body, now)` takes the webhook's `whsec_…`, headers by lower-case name, the raw bytes, and
 * milliseconds since the epoch. It returns null for a valid delivery, otherwise the reason: `unsigned`, `timestamp`
 * (more than five minutes off), `signature`.
 */
export const VERIFY_SOURCE = `const sha256 = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const fraction = (root) => ((root % 1) * 4294967296) | 0;
  const rounds = primes.map((prime) => fraction(Math.cbrt(prime)));
  const start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const turn = (x, by) => (x >>> by) | (x << (32 - by));
  return (bytes) => {
    const padded = Buffer.alloc(Math.ceil((bytes.length + 9) / 64) * 64);
    bytes.copy(padded);
    padded[bytes.length] = 128;
    padded.writeUInt32BE(Math.floor(bytes.length / 536870912), padded.length - 8);
    padded.writeUInt32BE((bytes.length << 3) >>> 0, padded.length - 4);
    const state = start.slice();
    const w = new Int32Array(64);
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) w[i] = padded.readInt32BE(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
        const s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i]) | 0;
        const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = (state[i] + value) | 0));
    }
    const digest = Buffer.alloc(32);
    state.forEach((value, i) => digest.writeInt32BE(value, 4 * i));
    return digest;
  };
})();

const hmac = (key, message) => {
  const short = Buffer.alloc(64);
  (key.length > 64 ? sha256(key) : key).copy(short);
  const pad = (byte) => Buffer.from(short.map((value) => value ^ byte));
  return sha256(Buffer.concat([pad(92), sha256(Buffer.concat([pad(54), message]))]));
};

/** null when genuine, else what is wrong. */
const verify = (secret, headers, body, now) => {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) return 'unsigned';
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= 300)) return 'timestamp';
  const key = Buffer.from(String(secret).replace('whsec_', ''), 'base64');
  if (key.length < 24) return 'secret';
  const right = hmac(key, Buffer.concat([Buffer.from(id + '.' + timestamp + '.'), body]));
  const isRight = (signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    let difference = given.length ^ right.length;
    for (let i = 0; i < right.length; i++) difference |= given[i] ^ right[i];
    return version === 'v1' && difference === 0;
  };
  return signatures.split(' ').some(isRight) ? null : 'signature';
};
`;
