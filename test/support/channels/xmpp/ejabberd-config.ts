/** ejabberd's configuration in tests: the modules that clients expect, on loopback, without rate limits. */
import { DOMAIN, HOST, ROOMS, UPLOADS, type XmppPorts } from './xmpp-server.ts';

const listener = (port: number, module: string, options: object = {}): object => ({
  port,
  ip: HOST,
  module,
  ...options,
});

/** Returns YAML, of which JSON is a subset. @param ports `api` is plain HTTP that creates accounts */
export const ejabberdConfig = (folder: string, ports: XmppPorts & { api: number }): string =>
  JSON.stringify(
    {
      hosts: [DOMAIN],
      loglevel: 'info',
      certfiles: [`${folder}/server.pem`],
      listen: [
        listener(ports.c2s, 'ejabberd_c2s', { starttls: true }),
        listener(ports.c2sTls, 'ejabberd_c2s', { tls: true }),
        listener(ports.https, 'ejabberd_http', {
          tls: true,
          request_handlers: { '/upload': 'mod_http_upload' },
        }),
        listener(ports.api, 'ejabberd_http', { request_handlers: { '/api': 'mod_http_api' } }),
      ],
      api_permissions: { accounts: { from: 'mod_http_api', who: 'all', what: ['register'] } },
      s2s_access: 'none',
      auth_password_format: 'scram',
      disable_sasl_mechanisms: ['digest-md5', 'X-OAUTH2'],
      modules: {
        mod_blocking: {},
        mod_caps: {},
        mod_carboncopy: {},
        mod_disco: {},
        mod_http_api: {},
        mod_http_upload: {
          host: UPLOADS,
          access: 'all',
          docroot: `${folder}/uploads`,
          put_url: `https://${HOST}:${ports.https}/upload`,
        },
        mod_last: {},
        mod_mam: { default: 'always' },
        // Version 23.01 lets anyone who was removed or banned back into a moderated room.
        mod_muc: { host: ROOMS, default_room_options: { mam: true, moderated: false } },
        mod_offline: {},
        mod_ping: {},
        mod_privacy: {},
        mod_private: {},
        mod_pubsub: { plugins: ['flat', 'pep'] },
        mod_roster: { versioning: true },
        mod_stream_mgmt: { resend_on_timeout: 'if_offline' },
        mod_time: {},
        mod_vcard: { search: false },
        mod_version: {},
      },
    },
    null,
    2,
  );
