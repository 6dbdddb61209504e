/** What Prosody is told in tests: as an operator's server with what clients expect of one today, on loopback, without limits. */
import { DOMAIN, HOST, ROOMS, UPLOADS, type XmppPorts } from './xmpp-server.ts';

const MODULES = [
  'roster',
  'saslauth',
  'tls',
  'disco',
  'carbons',
  'pep',
  'blocklist',
  'mam',
  'smacks',
  'ping',
  'time',
  'version',
  'vcard4',
  'vcard_legacy',
  'bookmarks',
  'private',
];

const quoted = (text: string): string => JSON.stringify(text);

export const prosodyConfig = (folder: string, ports: XmppPorts): string => `
-- Tests may be run by root, and the account that it would take then may not enter their folders.
run_as_root = true
pidfile = ${quoted(`${folder}/prosody.pid`)}
data_path = ${quoted(`${folder}/data`)}
plugin_paths = { }
log = { info = ${quoted(`${folder}/prosody.log`)} }

interfaces = { ${quoted(HOST)} }
c2s_ports = { ${ports.c2s} }
c2s_direct_tls_ports = { ${ports.c2sTls} }
http_ports = { }
https_ports = { ${ports.https} }
network_settings = { nagle = false }
ssl = { certificate = ${quoted(`${folder}/certificate.pem`)}, key = ${quoted(`${folder}/key.pem`)} }

modules_enabled = { ${MODULES.map(quoted).join(', ')} }
modules_disabled = { "s2s" }
storage = "internal"
authentication = "internal_hashed"
c2s_require_encryption = false
allow_unencrypted_plain_auth = true

default_archive_policy = true
archive_expires_after = "never"
muc_log_expires_after = "never"
storage_archive_item_limit = 1000000000

VirtualHost ${quoted(DOMAIN)}

Component ${quoted(ROOMS)} "muc"
  modules_enabled = { "muc_mam" }

Component ${quoted(UPLOADS)} "http_file_share"
  http_host = ${quoted(HOST)}
  http_external_url = ${quoted(`https://${HOST}:${ports.https}/`)}
  http_file_share_size_limit = 100 * 1024 * 1024
  http_file_share_daily_quota = 1024 * 1024 * 1024 * 1024
`;
